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
        let message = "\(request): \(error.message)"
        switch error.subject {
        case .response(let response): self.init(AKHTTPResponse(response), to: request)
        case .request: self.init(.invalidRequest, message, underlying: error)
        case .transfer: self.init(.transport, message, underlying: error)
        case .file: self.init(.file, message, underlying: error)
        }
    }
}
