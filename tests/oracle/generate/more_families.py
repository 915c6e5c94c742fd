"""The further families: one for each rule that the first ones leave out."""

from typing import Final

from tests.oracle.generate.cases import Family
from tests.oracle.generate.claims import capacities, odd_claims
from tests.oracle.generate.configurations import profiles, schedulers
from tests.oracle.generate.crowds import crowd, holdings, nominees, ties
from tests.oracle.generate.label_keys import label_keys
from tests.oracle.generate.limits import attach, ephemeral
from tests.oracle.generate.placements import daemons, few_domains, sidecars, wrong_selectors
from tests.oracle.generate.resizes import pod_level_resources, quantities, resize
from tests.oracle.generate.worlds import features, imagery, owners, strays, tolerances

MORE_FAMILIES: Final[dict[str, Family]] = {
    "labelkeys": label_keys,
    "resize": resize,
    "podlevel": pod_level_resources,
    "quantities": quantities,
    "attach": attach,
    "ephemeral": ephemeral,
    "claims": odd_claims,
    "capacities": capacities,
    "sidecars": sidecars,
    "domains": few_domains,
    "daemons": daemons,
    "selectors": wrong_selectors,
    "crowd": crowd,
    "ties": ties,
    "nominees": nominees,
    "holdings": holdings,
    "profiles": profiles,
    "schedulers": schedulers,
    "strays": strays,
    "owners": owners,
    "imagery": imagery,
    "tolerances": tolerances,
    "features": features,
}
