import HTTPMessages
import Transport

extension AKError {
    /// Error for a status of 300 or more; the message has request, status and the server's text.
    init(_ response: AKHTTPResponse, to request: HTTPRequest) {
        let detail = AKServerError(response)?.summary ?? response.httpResponse.excerpt
        self.init(.status, "\(request): \(response.status)\(detail.map { ": \($0)" } ?? "")", response: response)
    }

    /// Maps an error of a download.
    init(_ error: DownloadError, of request: HTTPRequest) {
        if error.code == .unacceptableStatus, let head = error.head {
            self.init(AKHTTPResponse(HTTPResponse(head: head, body: error.bodyPrefix)), to: request)
            return
        }
        let code: Code =
            switch error.code {
            case .notResumable: .invalidRequest
            case .tooLarge, .unexpectedRange: .transport
            default: .file
            }
        self.init(code, "\(request): \(error.message)", underlying: error)
    }
}

extension AKServerError {
    /// The server's description, with code and transaction.
    fileprivate var summary: String { "\(text) (code \(code)\(transaction.map { ", transaction \($0)" } ?? ""))" }
}
