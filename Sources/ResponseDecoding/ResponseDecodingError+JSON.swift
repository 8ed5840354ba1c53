import Foundation
import HTTPMessages

extension ResponseDecodingError {
    /// The error for JSON that a `Decodable` type did not take.
    /// - Parameters:
    ///   - error: what the decoder threw.
    ///   - json: what it read.
    init(decoding error: any Error, from json: Data, of response: HTTPResponse) {
        if case DecodingError.dataCorrupted = error, let fault = Self.fault(in: json) {
            self.init(fault, in: response, underlying: error)
            return
        }
        let path = CodingPath(of: error)
        self.init(
            .unexpectedValue, "\(path.subject) \(Self.problem(of: error)).", response: response,
            codingPath: path.description, underlying: error)
    }

    /// The error for a body that is not JSON. HTML and other text, such as a proxy's or a login page, is shown.
    init(_ fault: HTTPMessageError, in response: HTTPResponse, underlying: any Error) {
        let isOther = response.mediaType.map { !$0.essence.contains("json") } ?? false
        let isMarkup = response.body.first { !$0.isJSONBlank } == UInt8(ascii: "<")
        guard isOther || isMarkup, let excerpt = response.excerpt else {
            self.init(.invalidJSON, fault.message, response: response, underlying: underlying)
            return
        }
        let found = response.mediaType?.essence.prefix(80) ?? "markup"
        self.init(
            .invalidJSON, "The body is \(found), not JSON: \(excerpt)", response: response, underlying: underlying)
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
        case DecodingError.valueNotFound(let type, _): "is null or missing, expected \(name(of: type))"
        case DecodingError.typeMismatch(let type, _): "is not \(name(of: type))"
        case DecodingError.dataCorrupted: "has a value that its type does not accept"
        default: "was not accepted by its type"
        }
    }

    private static func name(of type: Any.Type) -> String {
        if type == [String: Any].self { return "an object" }
        if type == [Any].self { return "an array" }
        return "of the type \(type)"
    }
}

extension UInt8 {
    fileprivate var isJSONBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
