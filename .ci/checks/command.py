"""Running the command in the checks."""
import json, os, subprocess, sys

ENVIRONMENT = dict(os.environ, SWIFT_BACKTRACE="enable=no")


class Checker:
    """Counts what holds and prints what doesn't."""

    def __init__(self, binary, title):
        self.binary, self.title = binary, title
        self.passed = self.failed = 0

    def run(self, *arguments):
        """The command's exit status, standard output and standard error."""
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True,
                              timeout=60, env=ENVIRONMENT)
        return done.returncode, done.stdout, done.stderr

    def expect(self, holds, what):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            if self.failed <= 20:
                print(f"{self.title}: {what}")
        return holds

    def read(self, status, data, what, *arguments):
        """Reads, and demands an exit status and the answer's data."""
        code, out, err = self.run("read", *arguments)
        if not self.expect(code == status, f"{what}: exit {code}: {err.strip()[:300]}"):
            return None
        answer = json.loads(out)
        self.expect(answer["data"] == data, f"{what}: {first_difference(data, answer['data'])}")
        return answer

    def end(self):
        print(f"{self.title}: {self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)


def first_difference(expected, actual, path="data"):
    """Where two JSON values differ first."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in [*expected, *(n for n in actual if n not in expected)]:
            if name not in actual or name not in expected:
                return f"{path}.{name} is on one side only"
            if expected[name] != actual[name]:
                return first_difference(expected[name], actual[name], f"{path}.{name}")
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (left, right) in enumerate(zip(expected, actual)):
            if left != right:
                return first_difference(left, right, f"{path}.{index}")
    return f"{path}: expected {json.dumps(expected)[:120]}, read {json.dumps(actual)[:120]}"
