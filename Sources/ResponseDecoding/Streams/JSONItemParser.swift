public import Foundation
public import HTTPMessages

/// Parser of the elements of a JSON array, one at a time while the text arrives.
///
/// Keeps the current chunk and one incomplete element in memory. The text around the array is checked, also after its
/// end; an element that does not match its type is an error, after which parsing continues with the next one.
///
/// ```swift
/// var parser = JSONItemParser(Item.self, at: ["data", "results"])
/// parser.push(chunk)
/// while let item = try parser.next() { show(item) }
/// ```
public struct JSONItemParser<Output: Decodable & Sendable>: ByteStreamParser {
    private var reader: JSONElementReader<Output>
    private let maximumLength: Int

    /// Creates a parser.
    /// - Parameters:
    ///   - type: the type of each element.
    ///   - path: the names of the members that lead to the array; empty for an array that is the whole text. If a name
    ///     is there twice, the first one counts.
    ///   - coding: strategies for dates, names and others.
    ///   - maximumLength: maximum bytes of an element, and of a string outside the array.
    public init(
        _ type: Output.Type = Output.self, at path: [String] = [], coding: JSONCoding = .standard,
        maximumLength: Int = LineParser.defaultMaximumLength
    ) {
        reader = JSONElementReader(type, path: path, coding: coding, maximumLength: max(0, maximumLength))
        self.maximumLength = max(0, maximumLength)
    }

    /// Adds the next bytes. A chunk may end anywhere.
    public mutating func push(_ bytes: Data) { reader.push(bytes) }

    /// Marks the end of the text. If it is incomplete, ``next()`` throws an error.
    public mutating func finish() { reader.finish() }

    /// Returns the next element; nil if more bytes are needed or at the end.
    /// - Throws: ``StreamDecodingError`` (`invalidJSON`, `unexpectedValue`, `itemTooLarge`) with the offset.
    public mutating func next() throws(StreamDecodingError) -> Output? {
        do {
            return try reader.next()
        } catch {
            throw StreamDecodingError(error, maximumLength: maximumLength)
        }
    }
}

extension StreamDecodingError {
    fileprivate init<Element>(_ failure: JSONElementReader<Element>.Failure, maximumLength: Int) {
        switch failure {
        case .syntax(let error):
            self.init(
                .invalidJSON, error.message, line: error.location?.line ?? 0, byteOffset: error.location?.offset,
                underlying: error)
        case .tooLong(let location):
            self.init(
                .itemTooLarge, "Item exceeds the limit of \(maximumLength) bytes; raise `maximumLength`.",
                line: location.line, byteOffset: location.offset)
        case .noArray(let keys, let isMissing, let location):
            let path = CodingPath(keys)
            self.init(
                .unexpectedValue,
                "\(path.subject) is \(isMissing ? "missing" : "not of the kind that the path needs").",
                line: location.line, byteOffset: location.offset, codingPath: path.description)
        case .element(let error, let keys, let location):
            let path = CodingPath(keys + error.decodingPath)
            self.init(
                .unexpectedValue, "\(path.subject) \(ResponseDecodingError.problem(of: error)).", line: location.line,
                byteOffset: location.offset, codingPath: path.description, underlying: error)
        }
    }
}

extension HTTPResponseStream {
    /// Decodes the elements of a JSON array in the body while it arrives, of any status.
    ///
    /// ```swift
    /// for try await item in try await transport.stream(request).items(of: Item.self) { show(item) }
    /// ```
    /// - Parameters:
    ///   - type: the type of each element.
    ///   - path: the names of the members that lead to the array, separated by dots; empty for the whole body.
    ///   - coding: strategies for dates, names and others.
    ///   - maximumLength: maximum bytes of an element.
    ///   - invalidItems: handling of elements that do not match the type. Invalid JSON ends the sequence.
    public func items<Value: Decodable & Sendable>(
        of type: Value.Type, at path: String = "", coding: JSONCoding = .standard,
        maximumLength: Int = LineParser.defaultMaximumLength, invalidItems: InvalidPartPolicy = .fail
    ) -> ParsedSequence<HTTPBodyChunks, JSONItemParser<Value>> {
        body.items(
            of: type, at: path, coding: coding, maximumLength: maximumLength, invalidItems: invalidItems
        ).naming(head)
    }
}
