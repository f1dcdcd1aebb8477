#!/usr/bin/env python3
"""Commits recorded responses without a schema and reads them back.

usage: recorded.py BINARY FOLDER
FOLDER holds X.graphql with X.json, the operation and what a service answered, now and then without a field.
"""
import glob, json, os, sys, tempfile
from command import Checker, first_difference

binary, recorded = sys.argv[1:]
checker = Checker(binary, "recorded responses")


def is_absent(data, path):
    """Whether the response itself left a field out that its operation asks for."""
    for step in path[:-1]:
        data = data[step]
    return isinstance(data, dict) and path[-1] not in data


for document in sorted(glob.glob(os.path.join(recorded, "*.graphql"))):
    response = document.removesuffix(".graphql") + ".json"
    name = os.path.basename(response)
    with tempfile.TemporaryDirectory() as folder:
        image = os.path.join(folder, "recorded.image")
        code, out, err = checker.run("commit", image, "--document", document, response)
        if not checker.expect(code == 0, f"{name}: exit {code}: {err.strip()[:300]}"):
            continue
        with open(response, encoding="utf-8") as file:
            data = json.load(file)["data"]
        code, out, err = checker.run("read", image, "--document", document)
        if checker.expect(code in (0, 3), f"{name}: exit {code}: {err.strip()[:300]}"):
            answer = json.loads(out)
            missing = answer["missing"]
            checker.expect(answer["data"] == data, first_difference(data, answer["data"], name))
            checker.expect((code == 3) == bool(missing), f"{name}: exit {code}, missing {missing}")
            checker.expect(all(is_absent(data, path) for path in missing), f"{name}: {missing}")
        code, out, err = checker.run("verify", image)
        checker.expect(code == 0, f"{name}: verify: {err.strip()[:300]}")
checker.end()
