public import HTTPMessages

/// What an Akula server says of an error: three fields always, four more in its developer mode. Other fields are
/// ignored.
public struct AKServerError: Hashable, Sendable, CustomStringConvertible {
    /// The server's name for the call.
    public let transaction: String?
    /// The code as text, whether it came as a number or as a text.
    public let code: String
    /// The server's description.
    public let text: String
    /// Developer mode: more about the error.
    public let information: String?
    /// Developer mode: what caused it.
    public let cause: String?
    /// Developer mode: the exception's message.
    public let msg: String?
    /// Developer mode: where it happened.
    public let stackTrace: String?

    /// The code as a number, when it is one.
    public var numericCode: Int? { Int(code) }

    /// Reads an error's body; nil when it has no code or no description.
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

    /// Reads the body of a response; nil when it is no Akula error.
    init?(_ response: AKHTTPResponse) {
        guard response.statusCode >= 300, let value = try? JSONValue(parsing: response.data) else { return nil }
        self.init(value)
    }

    /// The code, the server's description, and its name for the call.
    public var description: String { "\(code): \(text)\(transaction.map { ", transaction \($0)" } ?? "")" }
}

extension JSONValue {
    /// A text as it is, anything else as JSON; nil for null.
    fileprivate var plainText: String? { isNull ? nil : string ?? description }
}
