import HTTPMessages

extension AKError {
    /// The error of a response whose status is 300 or more: request, status, and the server's own words.
    init(_ response: AKHTTPResponse, to request: HTTPRequest) {
        let words = AKServerError(response)?.sentence ?? response.httpResponse.excerpt
        self.init(.status, "\(request): \(response.status)\(words.map { ": \($0)" } ?? "")", response: response)
    }
}

extension AKServerError {
    /// The server's description with its code and its name for the call.
    fileprivate var sentence: String { "\(text) (code \(code)\(transaction.map { ", transaction \($0)" } ?? ""))" }
}
