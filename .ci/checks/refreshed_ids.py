#!/usr/bin/env python3
"""Refreshes 1,200 ids in batches of 50, then reads any of them in new processes.

usage: refreshed_ids.py BINARY SHARED
SHARED is the folder with the service that answers (check/githublike.py) and its documents.
"""
import json, os, random, sys, tempfile
from command import Checker

binary, shared = sys.argv[1:]
sys.path.insert(0, os.path.join(shared, "check"))
from githublike import SCHEMA_PATH, Service

DOCUMENT = os.path.join(shared, "data", "github", "documents", "Triage.graphql")
TEXT = open(DOCUMENT, encoding="utf-8").read()
NODE = TEXT + "\nquery NodeQuery($id: ID!) { node(id: $id) { ...IssueRow_issue } }"
IDS = [f"{'PR' if n % 7 == 0 else 'I'}_syn{n % 5}_{n}" for n in range(1, 1201)]
PLAN = ["--schema", SCHEMA_PATH, "--document", DOCUMENT]

checker = Checker(binary, "refreshed ids")
service = Service()


def refresh_plan(ids):
    return [*PLAN, "--operation", "RefreshRowsQuery", "--variables", json.dumps({"ids": ids})]


def commit(folder, image, response, *arguments):
    path = os.path.join(folder, "response.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(response, file, ensure_ascii=False)
    code, out, err = checker.run("commit", image, "--json", *arguments, path)
    if not checker.expect(code == 0, f"commit: exit {code}: {err.strip()[:300]}"):
        checker.end()
    return json.loads(out)


def check_batches(folder, image):
    for start in range(0, len(IDS), 50):
        ids = IDS[start : start + 50]
        response = service.execute(TEXT, {"ids": ids}, "RefreshRowsQuery")
        outcome = commit(folder, image, response, *refresh_plan(ids))
        expected = [{"asked": id, "id": id, "status": "ok"} for id in ids]
        checker.expect(outcome["ids"] == expected, f"the ids of the batch at {start}")


def check_reads(image):
    chooser = random.Random(1)
    for turn in range(40):
        ids = chooser.sample(IDS, 50)
        data = service.execute(TEXT, {"ids": ids}, "RefreshRowsQuery")["data"]
        checker.read(0, data, f"reading any 50, turn {turn}", image, *refresh_plan(ids))
    ids = [IDS[3], "I_syn1_99999", IDS[0]]
    data = service.execute(TEXT, {"ids": [IDS[3], IDS[0]]}, "RefreshRowsQuery")["data"]
    data["nodes"].insert(1, None)
    answer = checker.read(3, data, "an id that was never fetched", image, *refresh_plan(ids))
    if answer:
        checker.expect(answer["missing"] == [["nodes", 1]], f"missing: {answer['missing']}")


def check_fragments(image):
    fragment = ["--document", DOCUMENT, "--fragment", "IssueRow_issue", "--id"]
    for number, id in enumerate(i for i in IDS if i.startswith("I_")):
        data = service.execute(NODE, {"id": id}, "NodeQuery")["data"]["node"]
        # Compiling the schema takes longer than all the rest: every 25th read has it.
        schema = ["--schema", SCHEMA_PATH] if number % 25 == 0 else []
        checker.read(0, data, f"IssueRow_issue of {id}", image, *schema, *fragment, id)


def check_discovery(folder, image):
    variables = {"owner": "octo-org", "name": "widgets-1", "number": 3}
    response = service.execute(TEXT, variables, "IssueQuery")
    commit(folder, image, response, *PLAN, "--operation", "IssueQuery", "--variables",
           json.dumps(variables))
    for key in ['repository(owner:"octo-org",name:"widgets-1")/issueOrPullRequest(number:3)',
                'repository(name:"widgets-1",owner:"octo-org")/issueOrPullRequest(number:3)',
                'repository( name: "widgets-1" owner: "octo-org" ) / issueOrPullRequest(number: 3)']:
        code, out, err = checker.run("resolve", image, key)
        checker.expect((code, out) == (0, "I_syn1_3\n"), f"resolve {key}: {code} {out} {err}")


with tempfile.TemporaryDirectory() as folder:
    image = os.path.join(folder, "refreshed.image")
    check_batches(folder, image)
    check_reads(image)
    check_fragments(image)
    check_discovery(folder, image)
checker.end()
