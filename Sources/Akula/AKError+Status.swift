import HTTPMessages

extension AKError {
    /// The error of a response whose status is 300 or more: request, status, and the server's own words.
    init(_ response: AKHTTPResponse, to request: HTTPRequest) {
        let words = AKServerError(response)?.sentence ?? response.bodyPrefix
        self.init(.status, "\(request): \(response.status)\(words.map { ": \($0)" } ?? "")", response: response)
    }
}

extension AKServerError {
    /// The server's description with its code and its name for the call.
    fileprivate var sentence: String { "\(text) (code \(code)\(transaction.map { ", transaction \($0)" } ?? ""))" }
}

extension AKHTTPResponse {
    /// The first 200 characters of a body of text, in one line, or of JSON without the values of secret members; nil
    /// for any other body.
    fileprivate var bodyPrefix: String? {
        let mediaType = httpResponse.mediaType
        let isText = mediaType.map { $0.type == "text" || $0.subtype == "xml" || $0.subtype.hasSuffix("+xml") } ?? true
        let text: String
        if let value = try? JSONValue(parsing: data) {
            text = value.redacted.description
        } else if isText {
            // Four bytes a character, and some for the blanks that are dropped.
            text = TextBody.text(of: HTTPResponse(head: httpResponse.head, body: data.prefix(2048)))
        } else {
            return nil
        }
        let line = text.split(whereSeparator: \.isBlankOrControl).joined(separator: " ")
        if line.isEmpty { return nil }
        return line.count > 200 ? line.prefix(200) + "…" : line
    }
}

extension Character {
    fileprivate var isBlankOrControl: Bool {
        isWhitespace || unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension JSONValue {
    /// In the body of an error, `code` tells the kind of error; elsewhere it may be a code to log in with.
    private static let redaction = Redaction(words: Redaction.standard.words.subtracting(["code"]))

    /// The value with the values of secret members replaced.
    fileprivate var redacted: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.redacted))
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, value in
                        (name, Self.redaction.isSecret(name) ? .string(Redaction.mark) : value.redacted)
                    }))
        default: self
        }
    }
}
