import HTTPMessages

/// The header fields of a request, in the order in which they were added, with case-insensitive names.
struct RequestHeaders: Sendable {
    private struct Entry {
        var name: String
        var value: String
        /// True for fields that the library sets again before each attempt.
        var isGenerated: Bool
    }

    private var entries: [Entry] = []

    /// The fields in order.
    var lines: [(name: String, value: String)] { entries.map { ($0.name, $0.value) } }

    /// The fields by name.
    var dictionary: [String: String] { Dictionary(lines.map { ($0.name, $0.value) }) { _, last in last } }

    subscript(name: String) -> String? { entries.first { $0.name.isSameField(name) }?.value }

    /// The value of a field that the app has set.
    func own(_ name: String) -> String? { entries.first { !$0.isGenerated && $0.name.isSameField(name) }?.value }

    /// Sets a field, replacing one of the same name; nil removes it.
    mutating func set(_ name: String, to value: String?, isGenerated: Bool = false) {
        entries.removeAll { $0.name.isSameField(name) }
        if let value { entries.append(Entry(name: name, value: value, isGenerated: isGenerated)) }
    }

    /// Sets a field that the library makes, unless the app has set one of the same name.
    mutating func generate(_ name: String, _ value: String) {
        if self[name] == nil { set(name, to: value, isGenerated: true) }
    }

    /// Sets these fields, and removes the others. A field with the same value stays as it is.
    mutating func replace(with fields: [String: String]) {
        entries.removeAll { fields[$0.name] != $0.value }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where self[name] != value { set(name, to: value) }
    }

    /// Removes the fields that the library made.
    mutating func removeGenerated() { entries.removeAll(where: \.isGenerated) }

    /// Removes the fields that the library made, and those of the body.
    var unbuilt: RequestHeaders {
        var copy = self
        copy.removeGenerated()
        copy.set("Content-Length", to: nil)
        return copy
    }

    /// Removes all fields except the named ones.
    mutating func removeAll(except kept: [String]) {
        entries.removeAll { entry in !kept.contains { entry.name.isSameField($0) } }
    }

    /// Removes the app's fields whose names meet a condition.
    mutating func removeOwn(where condition: (String) -> Bool) {
        entries.removeAll { !$0.isGenerated && condition($0.name) }
    }
}

extension String {
    fileprivate func isSameField(_ other: String) -> Bool { lowercased() == other.lowercased() }
}
