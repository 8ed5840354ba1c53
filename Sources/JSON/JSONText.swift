package import Foundation

/// A JSON value as its text, in which numbers keep digits that a `Double` cannot hold.
package struct JSONText: Equatable, Sendable {
    package static let null = JSONText(bytes: Data("null".utf8))

    /// Valid JSON in UTF-8, without white space around it.
    package let bytes: Data

    /// The value of a text, which may have white space around it.
    /// - Throws: `JSONError` (`invalidSyntax`) as `JSONValue`, also for numbers outside the range of `Double`.
    package init(parsing text: Data) throws(JSONError) {
        _ = try JSONValue(parsing: text)
        let document = JSONText(bytes: text)
        self =
            document.scan { (scanner) throws(JSONScanner.Stop) in
                scanner.skipWhitespace()
                return JSONText(try scanner.skipValue())
            } ?? document
    }

    package init(_ elements: [JSONText]) {
        bytes = Self.join(elements.map(\.bytes), "[", "]")
    }

    /// An object, with members sorted by name.
    package init(_ members: [String: JSONText]) {
        let texts = members.sorted { $0.key < $1.key }.map { name, value in
            Data("\(JSONValue.string(name)):".utf8) + value.bytes
        }
        bytes = Self.join(texts, "{", "}")
    }

    /// The elements of an array; nil for other kinds.
    package var array: [JSONText]? {
        scan { (scanner) throws(JSONScanner.Stop) in
            var elements: [JSONText] = []
            try scanner.elements { (scanner) throws(JSONScanner.Stop) in
                elements.append(JSONText(try scanner.skipValue()))
            }
            return elements
        }
    }

    /// The members of an object; nil for other kinds. Of duplicate members, the last one is kept.
    package var object: [String: JSONText]? {
        scan { (scanner) throws(JSONScanner.Stop) in
            var members: [String: JSONText] = [:]
            try scanner.members(.object) { (scanner) throws(JSONScanner.Stop) in
                let name = String(decoding: try scanner.name(), as: UTF8.self)
                members[name] = JSONText(try scanner.skipValue())
            }
            return members
        }
    }

    private init(bytes: Data) { self.bytes = bytes }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.init(bytes: Data(buffer: bytes)) }

    /// Returns nil if the value is not of the kind that the body reads.
    private func scan<Result>(
        _ body: (inout JSONScanner) throws(JSONScanner.Stop) -> Result
    ) -> Result? {
        try? JSONScanner.scan(bytes, body)
    }

    private static func join(_ texts: [Data], _ start: String, _ end: String) -> Data {
        Data(start.utf8) + Data(texts.joined(separator: Data(",".utf8))) + Data(end.utf8)
    }
}
