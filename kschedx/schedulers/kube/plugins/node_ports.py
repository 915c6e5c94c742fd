"""NodePorts: two pods on a node cannot hold the same host port on overlapping addresses.

Upstream: plugins/nodeports/node_ports.go (v1.35.4), PreFilter, Filter; kube-scheduler
framework/types.go (v0.35.4), HostPortInfo.
Differences: all taken ports are named, with a pod that holds each; upstream stops at the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kschedx.framework.plugin import FilterPlugin, Prepared
from kschedx.framework.verdict import Outcome, Reason
from kschedx.framework.views import ClusterView, HostPort, NodeView, PodView
from kschedx.schedulers.kube.versions import Release

EVERY_ADDRESS: Final = "0.0.0.0"


@dataclass(frozen=True, slots=True)
class HostPortTaken(Reason):
    """A pod on the node holds a host port that this pod asks for."""

    code: ClassVar[str] = "host-port-taken"
    default_outcome: ClassVar[Outcome] = Outcome.UNSCHEDULABLE
    port: int
    protocol: str
    host_ip: str
    """The address that the pod asks for; "0.0.0.0" for every one."""
    holder: str
    """The first pod on the node that holds it, "namespace/name"."""
    held_ip: str = EVERY_ADDRESS
    """The address that it holds the port on."""

    def upstream_text(self, minor: int) -> str:
        return "node(s) didn't have free ports for the requested pod ports"

    def sentence(self) -> str:
        if self.held_ip == self.host_ip:
            return f"needs {self._port()}, which pod/{self.holder} holds"
        wanted = " on every address" if self.host_ip == EVERY_ADDRESS else ""
        held = "every address" if self.held_ip == EVERY_ADDRESS else self.held_ip
        return f"needs {self._port()}{wanted}, which pod/{self.holder} holds on {held}"

    def subject(self) -> str:
        return f"{self._port()} taken"

    def _port(self) -> str:
        address = "" if self.host_ip == EVERY_ADDRESS else f"{self.host_ip}:"
        return f"host port {address}{self.port}/{self.protocol}"


def _clash(one: HostPort, other: HostPort) -> bool:
    return one[1:] == other[1:] and (one[0] == other[0] or EVERY_ADDRESS in (one[0], other[0]))


@dataclass(frozen=True)
class NodePorts(FilterPlugin):
    """The rule."""

    name: ClassVar[str] = "NodePorts"
    has_prefilter: ClassVar[bool] = True
    needs_prefilter: ClassVar[bool] = True
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> NodePorts:
        return cls(release)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        ports = tuple(dict.fromkeys(self._ports(pod)))
        return Prepared(ports, skip=not ports)

    def filter(self, state: tuple[HostPort, ...], node: NodeView) -> Iterator[Reason]:
        taken = node.host_ports
        if not taken:
            return
        for wanted in state:
            if any(_clash(wanted, held) for held in taken):
                holder = self._holder(wanted, node)
                if holder is not None:
                    address, protocol, port = wanted
                    yield HostPortTaken(port, protocol, address, *holder)

    def _holder(self, wanted: HostPort, node: NodeView) -> tuple[str, str] | None:
        """The pod's key and the address on which it holds the port."""
        for pod in node.pods:
            for held in self._ports(pod):
                if _clash(wanted, held):
                    return pod.key, held[0]
        return None

    def _ports(self, pod: PodView) -> tuple[HostPort, ...]:
        """The host ports of a pod; until 1.32 those of sidecars do not count."""
        ports = pod.host_ports
        if ports and self.release.minor <= 32:
            own = [port for container in pod.pod.spec.containers for port in container.ports]
            return tuple(
                (port.host_ip or EVERY_ADDRESS, port.protocol or "TCP", port.host_port)
                for port in own
                if port.host_port > 0
            )
        return ports
