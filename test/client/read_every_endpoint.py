"""Reads every endpoint of a running service with the client that openapi-python-client makes from the service's own
document, in the folder `skill_catalog_client` next to this file. `.ci/check-client` makes it and runs this file."""

import importlib
import inspect
import json
import pathlib
import pkgutil
import re
import sys
import time

import skill_catalog_client.api
from skill_catalog_client import Client
from skill_catalog_client.models.ard_exploration import ArdExploration
from skill_catalog_client.models.ard_search import ArdSearch
from skill_catalog_client.models.problem import Problem
from skill_catalog_client.models.resolve_skills_body import ResolveSkillsBody
from skill_catalog_client.models.search_skills_by_post_body import SearchSkillsByPostBody
from skill_catalog_client.types import UNSET

client = Client(base_url=sys.argv[1])

operations = {
    name.split(".")[-1]: importlib.import_module(name)
    for _, name, is_package in pkgutil.walk_packages(skill_catalog_client.api.__path__, "skill_catalog_client.api.")
    if not is_package
}


called = set()


def ask(name, **arguments):
    called.add(name)
    return operations[name].sync_detailed(client=client, **arguments)


def takes(name, argument):
    return argument in inspect.signature(operations[name].sync_detailed).parameters


def words_of(name, argument, *words):
    """The words of an enumeration, as the type that the operation takes."""
    [word] = [
        kind
        for kind in vars(operations[name]).values()
        if inspect.isclass(kind) and kind.__name__.lower().endswith(f"{argument}item")
    ]
    return [word(each) for each in words]


def newest_snapshots():
    """The newest export and the newest dataset: the first ones are written in the background."""
    end = time.monotonic() + 60
    while True:
        snapshots = ask("export_snapshots").parsed
        if snapshots.data and snapshots.datasets:
            return snapshots.data[0].snapshot, snapshots.datasets[0].snapshot
        assert time.monotonic() < end, "No dataset was written."
        time.sleep(0.5)


def skills_of(answer):
    return answer.data if isinstance(answer.data, list) else [answer.data]


# Of the sample, and with a text.
skill = ask("get_skill_v1", owner="quillmoor", repo="pdf-table-lifter").parsed.data
exported, dataset = newest_snapshots()


def arguments_of(name):
    """What the operation must be given."""
    of_dataset = name in ("dataset_table", "dataset_catalog", "export_manifest")
    required = {
        "owner": skill.owner,
        "repo": skill.repo,
        "topic": skill.topics[0],
        "q": skill.name,
        "snapshot": dataset if of_dataset else exported,
        "type_": "skills",
        "slug": skill.repo,
        "owner_handle": skill.owner,
        "identifier": f"urn:air:skill-catalog.invalid:skills:{skill.id.replace('/', ':')}",
        "file": {"sitemap_part": "1.xml"}.get(name, "skills.json"),
        "table": "skills",
    }
    given = {}
    for argument, parameter in inspect.signature(operations[name].sync_detailed).parameters.items():
        if argument in required and parameter.default is inspect.Parameter.empty:
            kind = parameter.annotation
            given[argument] = kind(required[argument]) if inspect.isclass(kind) else required[argument]
    return given


# No JSON and no text, so that the generator leaves the bytes to the caller.
as_bytes = {"dataset_table", "dataset_catalog", "feed", "sitemap", "sitemap_part"}

for name in operations:
    if name in ("search_skills_by_post", "resolve_skills", "ard_search", "ard_explore"):
        # They take a body: below.
        continue
    if name == "export_signature":
        # Without a key nothing is signed.
        assert ask(name, snapshot=exported).parsed.code == "export_unknown"
        continue
    if name == "named_skill_page":
        moved = ask(name, owner=skill.owner, repo=skill.repo, skill="one")
        assert moved.status_code == 308 and moved.headers["location"] == f"/skills/{skill.id}@one", moved
        continue
    answer = ask(name, **arguments_of(name))
    assert answer.status_code == 200, (name, answer)
    assert name in as_bytes or (answer.parsed is not None and not isinstance(answer.parsed, Problem)), name
    assert len(answer.content) > 10, name

    if takes(name, "fields"):
        whole = skills_of(answer.parsed)
        # A value that is not known is None; one that was not asked for is UNSET.
        assert all(UNSET not in (each.stars, each.license_, each.name) for each in whole), name
        some = ask(name, **arguments_of(name), fields=words_of(name, "fields", "name", "homepage")).parsed
        for each, before in zip(skills_of(some), whole, strict=True):
            assert (each.id, each.name, each.homepage, each.stars) == (before.id, before.name, before.homepage, UNSET)

    for wrong, status in ({"limit": 0}, 400), ({"if_match": '"other"'}, 412), ({"repo": "no-such"}, 404):
        if takes(name, next(iter(wrong))):
            refused = ask(name, **{**arguments_of(name), **wrong})
            assert refused.status_code == status and isinstance(refused.parsed, Problem), (name, refused)
            assert refused.parsed.status == status and refused.parsed.code, (name, refused.parsed)

found = ask("search_skills", q=skill.name, facets=words_of("search_skills", "facets", "license", "owner")).parsed
assert found.facets.license_ and found.facets.owner and found.facets.topics is UNSET
# More than a URL may have.
body = SearchSkillsByPostBody.from_dict({"q": f"{'表' * 1_900} {skill.name}", "limit": 1, "facets": ["license"]})
by_post = ask("search_skills_by_post", body=body).parsed
assert by_post.query == body.q and by_post.pagination.limit == 1 and by_post.facets.license_ is not UNSET
refused = ask("search_skills_by_post", body=SearchSkillsByPostBody(q=skill.name, limit=0))
assert refused.status_code == 400 and refused.parsed.errors[0].parameter == "limit"
plain = {"skills": [{"id": skill.id, "digest": skill.digest}, {"id": "no/such"}]}
resolved = ask("resolve_skills", body=ResolveSkillsBody.from_dict(plain)).parsed.data
assert [(each.status, each.present_id) for each in resolved] == [("current", skill.id), ("unknown", None)], resolved
locked = {"skills": {skill.name: {"source": f"{skill.owner}/{skill.repo}", "computedHash": "f" * 64}}}
[of_lock] = ask("resolve_skills", body=ResolveSkillsBody.from_dict(locked)).parsed.data
assert (of_lock.name, of_lock.reason, of_lock.version) == (skill.name, "folder_hash", skill.version), of_lock
query = {"text": skill.name}
entries = ask("ard_search", body=ArdSearch.from_dict({"query": query, "pageSize": 1})).parsed.results
assert entries[0].display_name == skill.name, entries
facets = {"facets": [{"field": "tags", "limit": 2}]}
explored = ask("ard_explore", body=ArdExploration.from_dict({"query": query, "resultType": facets}))
assert explored.status_code == 200 and "buckets" in explored.content.decode(), explored
unknown = ask("get_skill_v1", owner=skill.owner, repo=f"{skill.repo}x").parsed
assert unknown.code == "skill_unknown" and skill.id in unknown.suggestions

# The generator leaves out what it cannot read, and only says so in its output.
document = json.loads(pathlib.Path("openapi.json").read_text())
documented = {
    re.sub("([A-Z])", r"_\1", operation["operationId"]).lower()
    for methods in document["paths"].values()
    for operation in methods.values()
}
assert called == documented == set(operations), (documented - called, documented ^ set(operations))
print(f"{len(called)} operations called")
