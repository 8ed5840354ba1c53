/// The entries of vendors in a trace (`tracestate`), of which the first one was added last.
public struct TraceState: Hashable, Sendable {
    /// One entry.
    public struct Entry: Hashable, Sendable {
        /// The key, such as `vendor` or `tenant@vendor`.
        public let key: String
        /// The value: printable ASCII without comma and equals sign.
        public let value: String
    }

    /// The most entries.
    private static let limit = 32

    /// The entries, at most 32.
    public private(set) var entries: [Entry] = []

    /// No entries.
    public init() {}

    /// Reads the values of all fields `tracestate` of a request, in their order.
    ///
    /// Nil if a key or a value is invalid, a key occurs twice, or there are more than 32 entries: such a state is
    /// dropped as a whole.
    public init?(parsing fields: [String]) {
        var keys: Set<Substring> = []
        for member in fields.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: true) }) {
            let member = member.trimming { $0 == " " || $0 == "\t" }
            if member.isEmpty { continue }
            guard let equals = member.firstIndex(of: "="), case let key = member[..<equals], key.isTraceStateKey,
                case let value = member[member.index(after: equals)...], value.isTraceStateValue,
                keys.insert(key).inserted, entries.count < Self.limit
            else { return nil }
            entries.append(Entry(key: String(key), value: String(value)))
        }
    }

    /// The value of a key; nil without it.
    public subscript(key: String) -> String? { entries.first { $0.key == key }?.value }

    /// Returns the state with an entry in front; an entry of the same key is removed, and the last one of too many.
    /// - Returns: nil for an invalid key or value.
    public func setting(_ key: String, to value: String) -> TraceState? {
        guard key[...].isTraceStateKey, value[...].isTraceStateValue else { return nil }
        var state = self
        state.entries.removeAll { $0.key == key }
        state.entries.insert(Entry(key: key, value: value), at: 0)
        state.entries = Array(state.entries.prefix(Self.limit))
        return state
    }

    /// The value of the field `tracestate`; nil without entries.
    public var field: String? {
        entries.isEmpty ? nil : entries.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        var text = drop(while: isTrimmed)
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }

    /// A key of up to 256 characters, or a tenant (241) and a system (14).
    fileprivate var isTraceStateKey: Bool {
        let parts = split(separator: "@", maxSplits: 2, omittingEmptySubsequences: false)
        func isName(_ part: Substring, _ limit: Int, mayBeginWithDigit: Bool) -> Bool {
            guard let first = part.utf8.first, part.utf8.count <= limit else { return false }
            let isLetter = (0x61...0x7A).contains(first)
            guard isLetter || (mayBeginWithDigit && (0x30...0x39).contains(first)) else { return false }
            return part.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "_-*/".utf8.contains($0)
            }
        }
        return switch parts.count {
        case 1: isName(parts[0], 256, mayBeginWithDigit: true)
        case 2:
            isName(parts[0], 241, mayBeginWithDigit: true) && isName(parts[1], 14, mayBeginWithDigit: false)
        default: false
        }
    }

    /// 1 to 256 printable characters of ASCII, without comma and equals sign; the last one is no space.
    fileprivate var isTraceStateValue: Bool {
        guard let last = utf8.last, last != 0x20, utf8.count <= 256 else { return false }
        return utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }
}
