import Foundation
import HTTPMessages

extension ResponseDecodingError {
    /// The error for JSON that a `Decodable` type did not take.
    /// - Parameters:
    ///   - error: what the decoder threw.
    ///   - json: what it read.
    init(decoding error: any Error, from json: Data, of response: HTTPResponse) {
        if case DecodingError.dataCorrupted = error, let fault = Self.fault(in: json) {
            self.init(.invalidJSON, fault.message, response: response, underlying: error)
            return
        }
        let path = CodingPath(of: error)
        self.init(
            .unexpectedValue, "\(path.subject) \(Self.problem(of: error)).", response: response,
            codingPath: path.description, underlying: error)
    }

    /// What keeps a text from being JSON; nil when it is.
    static func fault(in json: Data) -> HTTPMessageError? {
        do throws(HTTPMessageError) {
            _ = try JSONValue(parsing: json)
            return nil
        } catch { return error }
    }

    /// What a decoder found wrong, as the end of a sentence.
    static func problem(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound: "is missing"
        case DecodingError.valueNotFound(let type, _): "is null or missing where \(name(of: type)) is expected"
        case DecodingError.typeMismatch(let type, _): "is not \(name(of: type))"
        case DecodingError.dataCorrupted: "is of the right kind, and has a value that its type refuses"
        default: "was refused by its type"
        }
    }

    private static func name(of type: Any.Type) -> String {
        if type == [String: Any].self { return "an object" }
        if type == [Any].self { return "an array" }
        return "of the type \(type)"
    }
}
