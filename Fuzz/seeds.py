#!/usr/bin/env python3
"""Writes the seeds of the corpora: the few inputs a target starts from, one or more for each kind
of thing its inputs can say. Reproducers stand beside them and are left alone.

usage: Fuzz/seeds.py
"""
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))


def put(target, name, data):
    folder = os.path.join(HERE, "Corpus", target)
    os.makedirs(folder, exist_ok=True)
    if isinstance(data, str):
        data = data.encode()
    with open(os.path.join(folder, "seed-" + name), "wb") as file:
        file.write(data)


# Images: a byte for the shape, then changes. Below 128 a change to values (kind = byte % 15), from
# 128 on one to pages (kind = byte % 16) with eight bytes of details.
def images():
    def value(kind, *details):
        return bytes([kind, *details])

    def page(kind, *details):
        return bytes([128 + kind, *details]).ljust(9, b"\0")

    for shape in range(0, 64, 7):
        put("images", f"sound-{shape}", bytes([shape]))
    tables = range(14)
    for table in tables:
        put("images", f"value-byte-{table}", b"\x01" + value(0, table, 1, 9, 0, 0xFF))
        put("images", f"value-number-{table}", b"\x01" + value(1, table, 1, 8, 2, 8))
        put("images", f"value-gone-{table}", b"\x01" + value(4, table, 1))
    put("images", "insert", b"\x01" + value(2, 1, 3, 30, 0, 4) + b"more")
    put("images", "remove", b"\x01" + value(3, 1, 3, 30, 0, 4))
    put("images", "moved", b"\x01" + value(5, 1, 3, 18))
    put("images", "copied", b"\x01" + value(6, 1, 3, 18))
    put("images", "cell-raw", b"\x01" + value(7, 3, 2, 0, 5) + b"\x05text")
    put("images", "cell-links", b"\x01" + value(7, 3, 2, 2, 3, 3, 4, 5))
    put("images", "cell-list", b"\x01" + value(7, 3, 2, 1, 9, 6) + b"\x09\x04\x03\x01\x07\x00")
    put("images", "cell-error", b"\x01" + value(7, 3, 2, 3, 2) + b"no" + b"\x01" + b"1"
        + b"\0\0\x10\x04text")
    put("images", "flags", b"\x01" + value(8, 3, 0x20, 0, 1, 0, 4))
    put("images", "deleted", b"\x01" + value(8, 3, 0x02, 0, 1))
    put("images", "path", b"\x09" + value(9, 3, 2, 1, 2, 3, 1, 0))
    put("images", "deep-path", b"\x09" + value(9, 3, 2, 0, 0, 31) * 3)
    put("images", "id", b"\x05" + value(10, 0x00, 0x10, 3) + b"I_5x" + b"\x02")
    put("images", "name", b"\x01" + value(11, 1, 4) + b"name")
    put("images", "alias", b"\x01" + value(12, 3, 4) + b"alias")
    put("images", "key", b"\x01" + value(13, 3, 0, 4, 9) + b"issue(n:1")
    identity = b'{"default":["id"],"scope":"type","types":{}}'
    put("images", "identity", b"\x01" + value(14, 0, len(identity)) + identity)
    for field in range(3, 7):
        put("images", f"state-{field}", b"\x01" + value(14, field, 20))
    for kind in range(16):
        put("images", f"page-{kind}", b"\x0d" + page(kind, 9, 1, 2, 8, 0, 0, 0, 0))
        put("images", f"page-{kind}-more", b"\x01" + page(kind, 12, 3, 0, 4) + page(kind, 7, 0, 1, 18))


# Pages: a byte for the mode, then pages of 512 bytes.
def pages():
    def leaf(nodes, flags=2):
        body, offsets, upper = b"", [], 512
        for key, node_flags, data in nodes:
            node = struct.pack("<HHHH", len(data) & 0xFFFF, len(data) >> 16, node_flags, len(key))
            node += key + data
            node += b"\0" * (len(node) % 2)
            upper -= len(node)
            offsets.append(upper)
            body = node + body
        head = struct.pack("<QHHHH", 0, 0, flags, 16 + 2 * len(offsets), upper)
        head += struct.pack(f"<{len(offsets)}H", *offsets)
        return head + b"\0" * (512 - len(head) - len(body)) + body

    names = ["aliases", "cells", "ids", "journal", "keys", "keysof", "meta", "misses", "nameids",
             "names", "operations", "records", "stamps", "types"]
    empty = struct.pack("<IHHQQQQQ", 0, 8, 0, 0, 0, 0, 0, 2**64 - 1)
    tables = [leaf([(name.encode(), 2, empty) for name in names[:6]])]
    put("pages", "empty", b"\x03")
    put("pages", "leaf", b"\x03" + tables[0])
    put("pages", "numbers", b"\x05" + leaf([(struct.pack("<Q", 1), 0, struct.pack("<QQ", 1, 3))]))
    put("pages", "run", b"\x05" + leaf([(struct.pack("<Q", 1), 1, struct.pack("<Q", 3))])
        + struct.pack("<QHHI", 3, 0, 4, 1) + b"\0" * 496)
    put("pages", "raw", b"\0" + b"\0" * 600)


# Rows: 0 and a value, or 1 and tables: a table's number, a key, a length and a value.
def rows():
    def row(kind, flags, key, cells, commit=1):
        offset = 24 + 8 * len(cells) + len(key)
        head = struct.pack("<IQHHI", kind, commit, len(cells), flags, len(key))
        directory, body = b"", b""
        for field, cell in cells:
            directory += struct.pack("<II", field, offset + len(body))
            body += cell
        return head + directory + key + body

    def table(number, key, value):
        return bytes([number - 1, key, len(value)]) + value

    text = b"\x05Crash"
    error = b"\x04gone\x02[]\x00\x00"
    covered = bytes([0x35, len(error)]) + error + b"old"
    nested = b"\x09\x09\x04\x03\x01\x07\x00\x00\x07\x04\x04\0\0\0"
    links = b"\x08" + struct.pack("<III", 4, 0, 5)
    float_cell = b"\x04" + struct.pack("<d", 1.5) + b"1.50"
    cells = [(5, text), (6, covered), (7, nested), (8, links), (9, float_cell), (10, b"\x03\x07")]
    whole = row(4, 0, b"I_1", cells)
    put("rows", "row", b"\0" + b"\0" * 4 + whole)
    put("rows", "cell", b"\0" + nested)
    put("rows", "covered", b"\0" + covered)
    put("rows", "errors", b"\0" + error * 2)
    put("rows", "state", b"\0" + b"\0" * 4 + struct.pack("<QQQIIQ", 1, 2, 9, 20, 1, 0))
    names = b"".join(table(8, n, bytes([k]) + t) for n, k, t in [
        (1, 1, b"Query"), (4, 1, b"Issue"), (5, 2, b"id"), (6, 2, b"title"), (7, 2, b"number"),
        (8, 2, b"nodes"), (9, 2, b"author"), (10, 2, b"labels(first:10)")])
    ids = table(4, 0, struct.pack("<III", 4, 5, 6)) + table(9, 0, struct.pack("<IIII", 5, 6, 7, 8))
    root = table(2, 1, row(1, 1, b"", [(8, links)]))
    path = row(4, 1, struct.pack("<IIII", 4, 9, 4, 2), [(9, b"\x07\x04\0\0\0")])
    moved = row(4, 0x20, b"old", [(0, b"\x07\x04\0\0\0")])
    spilled = row(4, 4, b"wide", [(5, text)])
    rest = table(2, 5, path) + table(2, 6, moved) + table(2, 7, spilled)
    rest += bytes([2, 7, 9, 2]) + b"\x05x"
    alias = struct.pack("<II", 7, 4) + b"old"
    rest += table(5, 0, alias)
    key = struct.pack("<IBQ", 4, 1, 1) + b'repository(name:"w",owner:"o")'
    rest += table(6, 0, struct.pack("<I", len(key)) + key) + table(7, 4, struct.pack("<Q", 0))
    miss = struct.pack("<IBQQI", 1, 2, 0, 0, 1) + b"x" + error
    rest += table(12, 0, struct.pack("<I", len(miss)) + miss)
    rest += table(13, 0, struct.pack("<8I", *range(8)))
    put("rows", "tables", b"\x01" + names + ids + root + table(2, 4, whole) + rest)
    put("rows", "root", b"\x01" + names + root + table(2, 4, whole))
    put("rows", "types", b"\x01" + names + table(10, 4, b"\x01"))


# Responses: a character for the plan, one for the image, the parts with U+001E between them.
def responses():
    issue = ('{"__typename": "Issue", "id": "%s", "number": 7, "title": "a\\u00e9\\n", "score": 1.50,'
             ' "state": "OPEN", "closed": false, "updatedAt": 17, "extra": {"a": [1, {}]},'
             ' "labels": ["bug", null], "author": {"__typename": "User", "id": "U_1",'
             ' "login": "ada"}, "repository": {"id": "R_1", "name": "w"}}')
    edges = ('[{"cursor": "c3", "node": {"id": "I_3", "title": "Three"}}, null,'
             ' {"cursor": "c4", "node": null}]')
    info = ('{"hasNextPage": true, "hasPreviousPage": false, "startCursor": "c3",'
            ' "endCursor": "c4"}')
    page = '{"data": {"repository": {"id": "R_1", "issues": {"edges": %s, "pageInfo": %s}}}}' % (
        edges, info)
    bodies = [
        '{"data": {"nodes": [%s, null, %s]}, "errors": [{"message": "gone", "path": ["nodes", 1],'
        ' "type": "NOT_FOUND", "extensions": {"code": "X"}}]}' % (issue % "I_1", issue % "new"),
        '{"data": {"repository": {"id": "R_1", "name": "w", "issue": %s, "settings": {"theme":'
        ' "dark", "nested": {"theme": null, "nested": {"theme": "x"}}}}}}' % (issue % "I_9"),
        page, page, page,
        '{"data": {"viewer": {"id": "U_1"}, "repository": {"id": "R_1"}}, "hasNext": true}\x1e'
        '{"label": "login", "path": ["viewer"], "data": {"login": "ada"}}\x1e'
        '{"incremental": [{"label": "issues", "path": ["repository"], "data": {"issues": {"edges":'
        ' [{"node": {"id": "I_1"}}]}}}], "hasNext": true}\x1e{"label": "title", "path":'
        ' ["repository", "issues", "edges", 0, "node"], "data": {"title": "late"}}',
        '{"data": {"addIssue": {"edge": {"cursor": "c9", "node": {"id": "I_9", "title": "New"}},'
        ' "issue": {"id": "I_8", "title": "New"}}}}',
        '{"data": {"deleteIssue": {"deletedId": "I_1", "node": {"id": "I_2"}}}}',
        '{"data": {"matrix": [[{"id": "I_1", "grid": [[1, 2], [], null], "labels": ["a"], "extra":'
        ' 1e3, "assignees": [{"__typename": "Bot", "id": "B_1", "owner": {"id": "U_1", "login":'
        ' "x"}}, null]}, null], null], "viewer": {"login": "x"}}}',
        '{"data": {"node": %s, "viewer": null}, "errors": [{"message": "no", "path": ["viewer",'
        ' "login"]}], "extensions": {"warnings": [{"data": {"legacy_global_id": "old",'
        ' "next_global_id": "I_1"}}]}}' % (issue % "I_2"),
        '{"data": {"issueChanged": {"id": "I_1", "title": "t", "related": [{"id": "U_1"}, {"id":'
        ' "I_2", "title": "u"}]}}}',
    ]
    for plan, body in enumerate(bodies):
        for base in range(3):
            put("responses", f"{plan}-{base}", bytes([48 + plan, 48 + base]) + body.encode())
        put("responses", f"{plan}-untyped", bytes([48 + 11 + plan, 49]) + body.encode())
    parts = ('51{"data": {"viewer": {"id": "U_1"}}, "pending": [{"id": "0", "path": ["viewer"]}],'
             ' "hasNext": true}\x1e{"incremental": [{"id": "0", "data": {"login": "x"}}],'
             ' "completed": [{"id": "0"}], "hasNext": false}')
    put("responses", "pending", parts)
    put("responses", "error", '01{"errors": [{"message": "no"}]}')
    put("responses", "no-data", '01{"data": null}')
    put("responses", "duplicate", '81{"data": {"viewer": {"login": "a", "login": "b"}, "viewer": {}}}')


def documents():
    texts = {
        "schema": 's"d" schema @a { query: Q } directive @a(x: [Int!]! = [1]) repeatable on SCHEMA\n'
                  'type Q implements I & J @b { "x" f(a: In = {b: 1.5e3, c: [E, null]}): [T!]! }\n'
                  'interface I { f: Int } interface J implements I { f: Int } union U = Q | T\n'
                  'enum E { A @deprecated B } input In @oneOf { b: Float c: [E] } scalar S\n'
                  'extend type Q { g: Int } type T { f: Int } extend schema { mutation: T }',
        "blocks": 'd"""\n  block "quoted" \\"""\n    more\n""" query { a(s: """x\n y""") }',
        "query": 'dquery Q($a: [Int!]! = [1, 2] @x, $b: In = {c: {d: $e}}) @y { a: b(c: $a, d: {e: $b,'
                 ' f: [1, 2.5, "s\\u{1F600}\\n", true, null, ENUM]}) @include(if: $b) { ...F ... on T'
                 ' @skip(if: true) { g } ... @defer(label: "l", if: $b) { h } } }\n'
                 'fragment F on T { i j(k: -1) { l } }',
        "anonymous": "d{ a { b { c } } }",
        "connection": 'tquery { repository(name: "w", owner: "o") { id issues(first: 2) @connection('
                      'key: "k_issues", filters: ["order"]) { edges { node { id } } pageInfo { endCursor'
                      ' } } } }',
        "mutation": 'tmutation M($c: [ID!]!) { addIssue { edge @appendEdge(connections: $c) { node { id'
                    ' } } issue @prependNode(connections: ["x"], edgeTypeName: "IssueEdge") { id } }'
                    ' deleteIssue(id: 1) { deletedId @deleteRecord } }',
        "typed": 'tquery ($i: [ID!]!, $n: Int = 3) { nodes(ids: $i) { __typename id ... on Issue {'
                 ' number title author { ... on User { login } } related { id } } } repository(name: "a",'
                 ' owner: "b") { issue(number: $n) { ...R } issues(order: {field: "f", page: $n}) {'
                 ' totalCount } } }\nfragment R on Issue { grid labels repository { ...N } }\n'
                 'fragment N on Node { id }',
        "subscription": "tsubscription S { issueChanged { id } }",
        "introspection": 'tquery { __schema { types { name } } __type(name: "Issue") { name } }',
        "circle": "tquery { ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
        "overlap": 'tquery { viewer { id x: login } viewer { x: id } node(id: 1) { id } }',
        "both": "btype Query { a(b: E = X): A } interface A { c: Int! } type D implements A { c: Int! }"
                " enum E { X Y }\n%%\nquery Q($e: E) { a(b: $e) { c ... on D { d: c } } }",
    }
    for name, text in texts.items():
        put("documents", name, text)


def keys():
    texts = {
        "natural": 'repository(name:"w",owner:"o")/issue(number:7)',
        "spaced": 'repository ( owner : "o" , name : "w" ) / issue(number: 7) / x',
        "values": 'a(b:[1,-2,3.5e-7,true,null,ENUM],c:{d:"\\u00e9\\n\\"",e:{}},f:-0,g:1e300)',
        "members": 'a(b:{"z":1,"a b":[[]],z:2})',
        "json": '{"b": [1, -0, 0.1, 1E+2, 9007199254740993, 123456789012345678901, null], "a": "\\ud83d'
                '\\ude00\\u0000", "": {}}',
        "joined": "one:two\\:three\\\\:four",
        "number": "0.000001",
        "text": '"\\ud800 \\/ \\b\\f"',
    }
    for name, text in texts.items():
        put("keys", name, text)


def configuration():
    texts = {
        "whole": '{"identity": {"scope": "type", "default": ["id"], "types": {"Repo": ["owner", "name"]}},'
                 ' "transient": {"types": ["Viewer"], "fields": ["Query.search"]}, "lookups": [{"field":'
                 ' "Query.character", "type": "Character", "argument": "id"}, {"field": "Query.repo",'
                 ' "arguments": ["owner", "name"], "type": null}]}',
        "empty": "{}",
        "global": '{"identity": {"scope": "global"}}',
        "wrong": '{"identity": {"scope": "planet"}, "lookups": [{}], "x": 1}',
    }
    for name, text in texts.items():
        put("configuration", name, text)


for write in (images, pages, rows, responses, documents, keys, configuration):
    write()
