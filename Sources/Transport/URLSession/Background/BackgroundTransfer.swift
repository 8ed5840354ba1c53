public import Foundation
public import HTTPMessages

/// A download or an upload that the system performs, also while the app does not run.
public struct BackgroundTransfer: Hashable, Sendable, Identifiable {
    /// Where a transfer is.
    @nonexhaustive public enum State: Hashable, Sendable {
        /// The system performs it, or waits for a network.
        case running
        /// It is complete; the head of the response has a status 2xx.
        ///
        /// The head has neither secret fields nor the query of its URL.
        case finished(HTTPResponseHead)
        /// It has failed, and is not tried again.
        case failed(BackgroundTransferFailure)
    }

    /// Its identity, which survives the process.
    public let id: UUID
    /// The name that the app has given it.
    public let name: String
    /// The method and the redacted URL of the request, without its query.
    public let request: String
    /// The target of a download, or the source of an upload.
    public let file: URL
    /// The bytes so far; after a relaunch zero until the system reports more.
    public let progress: TransferProgress
    /// Where it is.
    public let state: State

    /// True once it has finished or failed.
    public var isComplete: Bool { state != .running }
}

/// Why a background transfer failed.
public struct BackgroundTransferFailure: Hashable, Sendable, Codable {
    /// The kind of failure.
    @nonexhaustive public enum Reason: String, Hashable, Sendable, Codable {
        /// The app has cancelled it, or the user has ended the app.
        case cancelled
        /// The system has forgotten it. Whether something was sent is not known.
        case lost
        /// There was no response; the message names the failure of the network.
        case network
        /// The response has another status than 2xx, or came by a redirect from https to http.
        case response
        /// The downloaded file cannot be moved to its place.
        case file
    }

    /// The kind of failure.
    public let reason: Reason
    /// What happened, without secrets.
    public let message: String
    /// The status of the response, if there was one.
    public var status: HTTPStatus? { statusCode.flatMap { HTTPStatus($0) } }
    private let statusCode: Int?

    init(_ reason: Reason, _ message: String, status: HTTPStatus? = nil) {
        (self.reason, self.message, statusCode) = (reason, message, status?.code)
    }
}
