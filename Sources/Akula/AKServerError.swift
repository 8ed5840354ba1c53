import Foundation
public import HTTPMessages
public import PatchbayErrors
import ResponseDecoding

/// The error body of an Akula server: three fields, and four more in developer mode.
///
/// Unknown fields are ignored.
public struct AKServerError: Hashable, Sendable, RedactedStringConvertible {
    /// The server's identifier of the request.
    public let transaction: String?
    /// The code as text; the server sends a number or a string.
    public let code: String
    /// The server's description.
    public let text: String
    /// Developer mode: more about the error.
    public let information: String?
    /// Developer mode: the cause.
    public let cause: String?
    /// Developer mode: the exception's message.
    public let msg: String?
    /// Developer mode: the stack trace.
    public let stackTrace: String?

    /// The code as a number, if it is one.
    public var numericCode: Int? { Int(code) }

    /// Parses an error body; nil without `code` or `description`.
    public init?(_ value: JSONValue) {
        guard let code = value["code"]?.plainText, let text = value["description"]?.plainText else { return nil }
        self.code = code
        self.text = text
        transaction = value["transaction"]?.plainText
        information = value["information"]?.plainText
        cause = value["cause"]?.plainText
        msg = value["msg"]?.plainText
        stackTrace = value["stacktrace"]?.plainText
    }

    /// Parses a response body; nil if the response is not an Akula error.
    init?(_ response: AKHTTPResponse) {
        guard response.statusCode >= 300, let value = try? JSONValue(parsing: response.httpResponse.jsonBody) else {
            return nil
        }
        self.init(value)
    }

    /// Code, description and transaction, each on one line, shortened, and with named secrets redacted.
    public var description: String {
        "\(Self.excerpt(code)): \(Self.excerpt(text))\(transaction.map { ", transaction \(Self.excerpt($0))" } ?? "")"
    }

    /// The description with code and transaction, likewise.
    var summary: String {
        let end = transaction.map { ", transaction \(Self.excerpt($0))" } ?? ""
        return "\(Self.excerpt(text)) (code \(Self.excerpt(code))\(end))"
    }

    private static func excerpt(_ text: String) -> String {
        BodyExcerpt.text(of: Data(text.utf8), as: .plainText) ?? ""
    }
}

extension JSONValue {
    /// A string without quotes, any other value as JSON; nil for null.
    fileprivate var plainText: String? { isNull ? nil : string ?? description }
}
