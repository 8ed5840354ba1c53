package import HTTPMessages

extension DownloadError {
    /// The part of a download that failed, by which a facade chooses its own code.
    package enum Subject: Sendable {
        /// The response, whose status is not 2xx; with the first bytes of its body.
        case response(HTTPResponse)
        /// The request, which cannot be resumed.
        case request
        /// The transfer: the body is too large or another one than requested.
        case transfer
        /// The file.
        case file
    }

    /// The part that failed.
    package var subject: Subject {
        switch code {
        case .unacceptableStatus: head.map { .response(HTTPResponse(head: $0, body: bodyPrefix)) } ?? .transfer
        case .notResumable: .request
        case .tooLarge, .unexpectedRange, .digestMismatch, .noDigest: .transfer
        default: .file
        }
    }
}
