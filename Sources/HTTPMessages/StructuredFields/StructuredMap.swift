/// Parameters of an item or of an inner list.
public typealias StructuredParameters = StructuredMap<StructuredValue>

/// Dictionary of a structured field.
///
/// ```swift
/// let priority = try StructuredDictionary(parsing: "u=1, i")
/// priority["u"]?.value?.integer  // 1
/// priority["i"]?.value?.bool     // true
/// ```
public typealias StructuredDictionary = StructuredMap<StructuredMember>

/// Ordered map with keys in lower case: letters, digits and `_-.*`.
public struct StructuredMap<Value: Hashable & Sendable>: Hashable, Sendable {
    /// One key with its value.
    public struct Entry: Hashable, Sendable {
        /// The key.
        public let key: String
        /// The value.
        public let value: Value
    }

    private var entries: [Entry] = []
    private var positions: [String: Int] = [:]

    /// The value of a key. A new key is appended; nil removes it.
    public subscript(key: String) -> Value? {
        get { positions[key].map { entries[$0].value } }
        set {
            switch (positions[key], newValue) {
            case (let position?, let value?): entries[position] = Entry(key: key, value: value)
            case (nil, let value?):
                positions[key] = entries.count
                entries.append(Entry(key: key, value: value))
            case (let position?, nil):
                entries.remove(at: position)
                positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.key, $0) })
            case (nil, nil): break
            }
        }
    }
}

extension StructuredMap: RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// Creates a map from a literal, in its order; of several values of a key the last counts.
    public init(dictionaryLiteral elements: (String, Value)...) {
        for (key, value) in elements { self[key] = value }
    }
    /// Position of the first entry.
    public var startIndex: Int { entries.startIndex }
    /// Position after the last entry.
    public var endIndex: Int { entries.endIndex }
    /// The entry at a position.
    public subscript(position: Int) -> Entry { entries[position] }
}

extension StructuredMap where Value == StructuredMember {
    /// Parses a field whose value is a dictionary; an empty one has no members.
    /// - Throws: `HTTPMessageError` (`invalidStructuredField`).
    public init(parsing text: String) throws(HTTPMessageError) {
        self.init()
        var parser = StructuredParser(text)
        try parser.members { parser throws(HTTPMessageError) in
            let key = try parser.key()
            if parser.take("=") {
                self[key] = try parser.member()
            } else {
                self[key] = .item(StructuredItem(.bool(true), parameters: try parser.parameters()))
            }
        }
    }

    /// The field value; empty without members, which means to omit the field.
    /// - Throws: `HTTPMessageError` (`invalidStructuredField`) for a key or a value that cannot be written.
    public func text() throws(HTTPMessageError) -> String {
        var writer = StructuredWriter()
        for (index, entry) in enumerated() {
            if index > 0 { writer.separate() }
            try writer.write(key: entry.key)
            if case .item(let item) = entry.value, item.value == .bool(true) {
                try writer.write(item.parameters)
            } else {
                writer.assign()
                try writer.write(entry.value)
            }
        }
        return writer.text
    }

    private init() {
        entries = []
        positions = [:]
    }
}
