/// Place of a value in a document, for errors, such as `entries[3].Carrier.Name`.
///
/// The text is made for an error only: names come from the body and may be of any length.
struct ODataPath {
    /// Key of an element.
    struct Index: CodingKey {
        let ordinal: Int
        var intValue: Int? { ordinal }
        var stringValue: String { "\(ordinal)" }
        init(_ ordinal: Int) { self.ordinal = ordinal }
        init?(intValue: Int) { self.init(intValue) }
        init?(stringValue: String) { nil }
    }

    /// Maximum bytes of a name and of the path; a longer one is cut.
    private static let limits = (name: 64, path: 256)

    /// The entry, such as `entries[3]`; empty for the only one.
    let entry: String
    private(set) var keys: [any CodingKey] = []

    init(entry: String) { self.entry = entry }

    func appending(_ key: some CodingKey) -> ODataPath {
        var path = self
        path.keys.append(key)
        return path
    }

    /// The error for a value that is not there.
    var missing: ODataError { ODataError(.missingValue, "\(text) is missing.", element: text) }

    /// The path, with an ellipsis where it is cut.
    var text: String {
        var text = entry
        for key in keys {
            guard text.utf8.count <= Self.limits.path else { return text + "…" }
            if let index = key as? Index {
                text += "[\(index.ordinal)]"
                continue
            }
            if !text.isEmpty { text += "." }
            let name = key.stringValue
            guard name.utf8.count > Self.limits.name else {
                text += name
                continue
            }
            text += String(decoding: name.utf8.prefix(Self.limits.name), as: UTF8.self) + "…"
        }
        return text
    }
}
