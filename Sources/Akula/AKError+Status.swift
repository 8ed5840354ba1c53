import HTTPMessages

extension AKError {
    /// Error for a status of 300 or more; the message has request, status and the server's text.
    init(_ response: AKHTTPResponse, to request: HTTPRequest) {
        let detail = AKServerError(response)?.summary ?? response.httpResponse.excerpt
        self.init(.status, "\(request): \(response.status)\(detail.map { ": \($0)" } ?? "")", response: response)
    }
}

extension AKServerError {
    /// The server's description, with code and transaction.
    fileprivate var summary: String { "\(text) (code \(code)\(transaction.map { ", transaction \($0)" } ?? ""))" }
}
