import Foundation
import HTTPMessages

/// The rules of the JSON schema of HAR 1.2, by which an archive is checked: members that must be there, and types.
enum HARSchema {
    private enum Kind {
        case text, number, integer, truth, date
        case object(String)
        case list(String)
    }

    private static let rules: [String: (required: [String], members: [String: Kind])] = [
        "har": (["log"], ["log": .object("log")]),
        "log": (
            ["version", "creator", "entries"],
            [
                "version": .text, "creator": .object("creator"), "browser": .object("creator"), "pages": .list("page"),
                "entries": .list("entry"), "comment": .text,
            ]
        ),
        "creator": (["name", "version"], ["name": .text, "version": .text]),
        "page": (
            ["startedDateTime", "id", "title", "pageTimings"], ["startedDateTime": .date, "id": .text, "title": .text]
        ),
        "entry": (
            ["startedDateTime", "time", "request", "response", "cache", "timings"],
            [
                "pageref": .text, "startedDateTime": .date, "time": .number, "request": .object("request"),
                "response": .object("response"), "timings": .object("timings"), "serverIPAddress": .text,
                "connection": .text, "comment": .text, "cache": .object("cache"),
            ]
        ),
        "cache": ([], [:]),
        "request": (
            ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"],
            [
                "method": .text, "url": .text, "httpVersion": .text, "cookies": .list("cookie"),
                "headers": .list("pair"),
                "queryString": .list("pair"), "postData": .object("postData"), "headersSize": .integer,
                "bodySize": .integer,
            ]
        ),
        "response": (
            [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
                "bodySize",
            ],
            [
                "status": .integer, "statusText": .text, "httpVersion": .text, "cookies": .list("cookie"),
                "headers": .list("pair"), "content": .object("content"), "redirectURL": .text, "headersSize": .integer,
                "bodySize": .integer,
            ]
        ),
        "pair": (["name", "value"], ["name": .text, "value": .text]),
        "cookie": (
            ["name", "value"],
            [
                "name": .text, "value": .text, "path": .text, "domain": .text, "expires": .date, "httpOnly": .truth,
                "secure": .truth,
            ]
        ),
        "postData": (["mimeType"], ["mimeType": .text, "text": .text, "params": .list("parameter"), "comment": .text]),
        "parameter": (["name"], ["name": .text, "value": .text, "fileName": .text, "contentType": .text]),
        "content": (
            ["size", "mimeType"],
            [
                "size": .integer, "compression": .integer, "mimeType": .text, "text": .text, "encoding": .text,
                "comment": .text,
            ]
        ),
        "timings": (
            ["send", "wait", "receive"],
            [
                "dns": .number, "connect": .number, "blocked": .number, "send": .number, "wait": .number,
                "receive": .number, "ssl": .number, "comment": .text,
            ]
        ),
    ]

    /// What breaks the schema, by place. A member that is not in it must start with an underscore.
    static func violations(of value: JSONValue, as name: String = "har", at path: String = "$") -> [String] {
        guard let members = value.object, let rule = rules[name] else { return ["\(path) is not an object"] }
        var found = rule.required.filter { members[$0] == nil }.map { "\(path).\($0) is missing" }
        for (member, value) in members where !member.hasPrefix("_") {
            let place = "\(path).\(member)"
            switch rule.members[member] {
            case nil where name == "page" && member == "pageTimings": break
            case nil: found.append("\(place) is not in the schema")
            case .text: if value.string == nil { found.append("\(place) is not a string") }
            case .number: if value.double.map({ $0 >= -1 }) != true { found.append("\(place) is not a number") }
            case .integer: if value.integer == nil { found.append("\(place) is not an integer") }
            case .truth: if value.bool == nil { found.append("\(place) is not a Boolean") }
            case .date: if !isDate(value.string ?? "") { found.append("\(place) is not a date") }
            case .object(let kind): found += violations(of: value, as: kind, at: place)
            case .list(let kind):
                guard let elements = value.array else {
                    found.append("\(place) is not an array")
                    continue
                }
                for (index, element) in elements.enumerated() {
                    found += violations(of: element, as: kind, at: "\(place)[\(index)]")
                }
            }
        }
        return found
    }

    private static func isDate(_ text: String) -> Bool {
        text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/) != nil
    }
}
