import Foundation
import HTTPMessages

extension URITemplate {
    /// Returns the values of the variables in a URL that the template can expand to; nil for another URL.
    ///
    /// A template that starts with a scheme is compared with the whole URL, any other with the path. A template without
    /// a query leaves the query of the URL out; otherwise the pairs of its literals must be there, those of `{?a,b}`
    /// may be, and no others. Variables stand for at least one character, without a slash unless their operator keeps
    /// it. Takes polynomial time.
    package func variables(in url: String) -> [String: String]? {
        let reference = URLReference(url[...])
        var subject = String(reference.path)
        if text.hasPrefix("http://") || text.hasPrefix("https://") {
            subject = "\(reference.scheme ?? "")://\(reference.authority ?? "")" + subject
        }
        let start = parts.firstIndex(where: \.startsQuery) ?? parts.endIndex
        var pathParts = Array(parts[..<start])
        var queryParts = Array(parts[start...])
        // The literal that has the question mark belongs to both.
        if case .literal(let bytes)? = queryParts.first, let mark = bytes.firstIndex(of: UInt8(ascii: "?")) {
            pathParts.append(.literal(Array(bytes[..<mark])))
            queryParts[0] = .literal(Array(bytes[(mark + 1)...]))
        }
        let isRelative = !text.hasPrefix("/") && !text.hasPrefix("http") && !text.hasPrefix("{/")
        if isRelative { pathParts.insert(.literal([UInt8(ascii: "/")]), at: 0) }
        var path = PathMatcher(pathParts, Array(subject.utf8))
        guard path.matches() else { return nil }
        var values = path.values
        guard !queryParts.isEmpty else { return values }
        guard Self.match(queryParts, reference.query ?? "", &values) else { return nil }
        return values
    }

    private static func match(_ parts: [Part], _ query: Substring, _ values: inout [String: String]) -> Bool {
        var pairs = query.split(separator: "&").map { pair -> (name: String, value: Substring) in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (halves[0].decoded, halves.count > 1 ? halves[1] : "")
        }
        func take(_ name: String, _ literal: Substring? = nil) -> String? {
            let value = literal?.comparableInQuery
            let found = pairs.firstIndex { $0.name == name && (value == nil || $0.value.comparableInQuery == value) }
            return found.map { pairs.remove(at: $0).value.decoded }
        }
        // A name whose value is the next expression.
        var pending: String?
        for part in parts {
            switch part {
            case .literal(let bytes):
                let literals = String(decoding: bytes, as: UTF8.self).split(separator: "&")
                for (index, literal) in literals.enumerated() {
                    let halves = literal.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    if index == literals.count - 1, bytes.last == UInt8(ascii: "=") {
                        pending = halves[0].decoded
                    } else {
                        guard take(halves[0].decoded, halves.count > 1 ? halves[1] : "") != nil else { return false }
                    }
                }
            case .expression(let expression):
                if let name = pending, let variable = expression.variables.first {
                    guard let value = take(name) else { return false }
                    values[variable.name] = value
                    pending = nil
                    continue
                }
                for variable in expression.variables {
                    var found: [String] = []
                    while let value = take(variable.name) { found.append(value) }
                    if !found.isEmpty { values[variable.name] = found.joined(separator: ",") }
                    // Pairs of an exploded variable have names of their own.
                    if found.isEmpty, variable.modifier == .explode {
                        values[variable.name] = pairs.map { "\($0.name),\($0.value.decoded)" }.joined(separator: ",")
                        pairs = []
                    }
                }
            }
        }
        return pairs.isEmpty
    }
}

extension URITemplate.Part {
    fileprivate var startsQuery: Bool {
        switch self {
        case .literal(let bytes): bytes.contains(UInt8(ascii: "?"))
        case .expression(let expression):
            expression.operation.first == UInt8(ascii: "?") || expression.operation.first == UInt8(ascii: "&")
        }
    }
}

extension Substring {
    fileprivate var decoded: String { removingPercentEncoding ?? String(self) }
}

/// Backtracking matcher of a path, which visits each part at each position once.
private struct PathMatcher {
    private let parts: [URITemplate.Part]
    private let bytes: [UInt8]
    private var failed: Set<Int> = []
    private(set) var values: [String: String] = [:]

    init(_ parts: [URITemplate.Part], _ bytes: [UInt8]) {
        self.parts = parts
        self.bytes = bytes
    }

    mutating func matches() -> Bool { matches(0, at: 0) }

    private mutating func matches(_ part: Int, at position: Int) -> Bool {
        guard part < parts.count else { return position == bytes.count }
        let key = part * (bytes.count + 1) + position
        guard !failed.contains(key) else { return false }
        switch parts[part] {
        case .literal(let literal):
            if bytes[position...].starts(with: literal), matches(part + 1, at: position + literal.count) { return true }
        case .expression(let expression):
            // Optional with an operator that writes nothing for a missing value.
            let first = expression.operation.first
            let start = first == nil ? position : position + 1
            if first == nil || (position < bytes.count && bytes[position] == first) {
                var end = start
                while end < bytes.count, expression.mayContain(bytes[end]) { end += 1 }
                while end > start {
                    if matches(part + 1, at: end) {
                        assign(String(decoding: bytes[start..<end], as: UTF8.self), to: expression)
                        return true
                    }
                    end -= 1
                }
            }
            if first != nil, first != UInt8(ascii: "."), matches(part + 1, at: position) { return true }
        }
        failed.insert(key)
        return false
    }

    private mutating func assign(_ text: String, to expression: URITemplate.Expression) {
        let separator = Character(Unicode.Scalar(expression.operation.separator))
        var rest = text.split(separator: separator, omittingEmptySubsequences: false)[...]
        for (index, variable) in expression.variables.enumerated() {
            let isLast = index == expression.variables.count - 1
            guard
                let value = isLast
                    ? (rest.isEmpty ? nil : rest.joined(separator: String(separator)))
                    : rest.popFirst().map(String.init)
            else { return }
            let plain =
                expression.operation.isNamed
                ? value.split(separator: "=", maxSplits: 1).last.map(String.init) ?? "" : value
            values[variable.name] = plain.removingPercentEncoding ?? plain
        }
    }
}

extension URITemplate.Expression {
    fileprivate func mayContain(_ byte: UInt8) -> Bool {
        if operation.keepsReserved { return true }
        return byte != UInt8(ascii: "/") || operation.separator == UInt8(ascii: "/")
    }
}
