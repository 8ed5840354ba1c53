import Foundation
import HTTPMessages

extension ResponseDecodingError {
    /// Creates the error for JSON that a `Decodable` type rejected.
    /// - Parameters:
    ///   - error: the decoder's error.
    ///   - json: the decoder's input.
    init(decoding error: any Error, from json: Data, of response: HTTPResponse) {
        if let syntaxError = Self.syntaxError(of: error, in: json) {
            self.init(syntaxError, in: response, underlying: error)
            return
        }
        let path = CodingPath(of: error)
        let location = JSONError(within: error)?.location
        let place = location.map { " (byte \($0.offset), line \($0.line))" } ?? ""
        var hint = ""
        if case DecodingError.typeMismatch = error, path.description.isEmpty, Self.isTextOfJSON(json) {
            hint = "; it is a text that seems to hold JSON"
        }
        self.init(
            .unexpectedValue, "\(path.subject) \(Self.problem(of: error))\(place)\(hint).", response: response,
            byteOffset: location?.offset, codingPath: path.description, underlying: error)
        line = location?.line
    }

    /// True for a string that starts as an object or an array does: JSON that was encoded twice.
    private static func isTextOfJSON(_ json: Data) -> Bool {
        let text = json.drop(while: \.isJSONWhitespace)
        guard text.first == UInt8(ascii: "\"") else { return false }
        let start = text.dropFirst().first { !$0.isJSONWhitespace }
        return start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
    }

    /// Creates the error for a body that is not JSON; it quotes HTML or text, such as a login page.
    init(_ syntaxError: JSONError, in response: HTTPResponse, underlying: any Error) {
        let isOtherType = response.mediaType.map { !$0.essence.contains("json") } ?? false
        let isMarkup = response.body.first { !$0.isMarkupWhitespace } == UInt8(ascii: "<")
        guard isOtherType || isMarkup, let excerpt = response.excerpt else {
            self.init(
                .invalidJSON, syntaxError.message, response: response, byteOffset: syntaxError.location?.offset,
                underlying: underlying)
            line = syntaxError.location?.line
            return
        }
        let found = response.mediaType?.essence.prefix(80) ?? "markup"
        self.init(
            .invalidJSON, "Expected JSON, got \(found): \(excerpt)", response: response, underlying: underlying)
    }

    /// Returns the syntax error that a decoder found, or would have found; nil for valid JSON.
    static func syntaxError(of error: any Error, in json: Data) -> JSONError? {
        guard case DecodingError.dataCorrupted = error else { return nil }
        if let error = JSONError(within: error) { return error.code == .invalidSyntax ? error : nil }
        // Foundation's error does not say where the JSON is invalid.
        do throws(JSONError) {
            _ = try JSONValue(parsing: json)
            return nil
        } catch { return error }
    }

    /// The problem that a decoder found, for the end of an error message.
    static func problem(of error: any Error) -> String {
        if let problem = JSONError(within: error)?.problem { return problem }
        return switch error {
        case DecodingError.keyNotFound: "is missing"
        case DecodingError.valueNotFound(let type, _): "is null or missing, expected \(name(of: type))"
        case DecodingError.typeMismatch(let type, _): "is not \(name(of: type))"
        case DecodingError.dataCorrupted: "has a value that its type rejects"
        default: "was rejected by its type"
        }
    }

    private static func name(of type: Any.Type) -> String {
        if type == [String: Any].self { return "an object" }
        if type == [Any].self { return "an array" }
        return "of the type \(type)"
    }
}

extension JSONError {
    /// The error with the location, within a decoding error of `JSONCoding`; nil in one of another decoder.
    init?(within error: any Error) {
        let underlying: (any Error)? =
            switch error {
            case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
                DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
                context.underlyingError
            default: nil
            }
        guard let error = underlying as? JSONError else { return nil }
        self = error
    }
}

extension UInt8 {
    fileprivate var isMarkupWhitespace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
