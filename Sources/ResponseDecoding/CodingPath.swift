import HTTPMessages

/// Path to a JSON value, such as `items[3].price`.
struct CodingPath: CustomStringConvertible {
    /// The path; empty for the root value.
    let description: String

    /// Maximum Unicode scalars of a name and of the path; names come from the body and may be of any length.
    private static let limits = (name: 64, path: 256)

    init(_ keys: [any CodingKey]) {
        var text = ""
        for key in keys {
            let name = key.stringValue
            if let index = key.intValue {
                text += "[\(index)]"
            } else if name.utf8.count <= Self.limits.name, name.isIdentifier {
                text += text.isEmpty ? name : ".\(name)"
            } else {
                text += "[\(name.start(Self.limits.name).debugDescription)]"
            }
        }
        let start = text.start(Self.limits.path)
        description = start.utf8.count == text.utf8.count ? text : start + "…"
    }

    /// The path of a decoding error; the root value for other errors.
    init(of error: any Error) { self.init(error.decodingPath) }

    /// The path for the start of an error message.
    var subject: String { description.isEmpty ? "The root value" : description }
}

extension String {
    /// The first Unicode scalars: a character may have any number of them.
    fileprivate func start(_ count: Int) -> String { String(unicodeScalars.prefix(count)) }

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
