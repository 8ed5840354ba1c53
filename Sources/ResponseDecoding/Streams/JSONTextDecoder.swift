import Foundation
import HTTPMessages

/// Decodes one JSON text of a stream, a line or a text of a sequence.
struct JSONTextDecoder<Output: Sendable>: Sendable {
    let decode: @Sendable (LineSplitter.Line) throws(StreamDecodingError) -> Output
}

extension JSONTextDecoder where Output == JSONValue {
    /// Decodes any JSON.
    static var value: JSONTextDecoder {
        JSONTextDecoder { (line) throws(StreamDecodingError) in try JSONValue(in: line) }
    }
}

extension JSONTextDecoder where Output: Decodable {
    static func coding(_ coding: JSONCoding) -> JSONTextDecoder { using { try coding.decode(Output.self, from: $0) } }

    static func foundation(_ decoder: JSONDecoder) -> JSONTextDecoder {
        using { try decoder.decode(Output.self, from: $0) }
    }

    private static func using(_ json: @escaping @Sendable (Data) throws -> Output) -> JSONTextDecoder {
        JSONTextDecoder { (line) throws(StreamDecodingError) in
            // Decoders read bytes with zeros as UTF-16 or UTF-32. Lines are UTF-8, where a zero byte is invalid JSON.
            if line.bytes.contains(0) { _ = try JSONValue(in: line) }
            do {
                return try json(line.bytes)
            } catch {
                throw StreamDecodingError(decoding: error, in: line)
            }
        }
    }
}

extension JSONValue {
    fileprivate init(in line: LineSplitter.Line) throws(StreamDecodingError) {
        do {
            self = try JSONValue(parsing: line.bytes)
        } catch {
            throw StreamDecodingError(syntaxError: error, in: line)
        }
    }
}
