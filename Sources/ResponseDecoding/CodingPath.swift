/// A place in JSON, as one writes it: `items[3].price`.
struct CodingPath: CustomStringConvertible {
    /// The place; empty for the outermost value.
    let description: String

    /// The most characters of a name and of the whole that are shown: names come from the body, and may be of any
    /// length.
    private static let limits = (name: 64, whole: 256)

    init(_ keys: [any CodingKey]) {
        var text = ""
        for key in keys {
            let name = key.stringValue
            if let index = key.intValue {
                text += "[\(index)]"
            } else if name.utf8.count <= Self.limits.name, name.isIdentifier {
                text += text.isEmpty ? name : ".\(name)"
            } else {
                text += "[\(String(name.prefix(Self.limits.name)).debugDescription)]"
            }
        }
        description = text.count <= Self.limits.whole ? text : String(text.prefix(Self.limits.whole)) + "…"
    }

    /// The place that an error names; the outermost value when it names none.
    init(of error: any Error) {
        let keys: [any CodingKey] =
            switch error {
            case DecodingError.keyNotFound(let key, let context): context.codingPath + [key]
            case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
                DecodingError.dataCorrupted(let context):
                context.codingPath
            default: []
            }
        self.init(keys)
    }

    /// The place as the start of a sentence.
    var subject: String { description.isEmpty ? "The JSON itself" : description }
}

extension String {
    fileprivate var isIdentifier: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x24, 0x2D, 0x5F, 0x80...: true
                default: false
                }
            }
    }
}
