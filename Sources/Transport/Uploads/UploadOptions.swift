public import Foundation
public import HTTPMessages

/// How an upload continues after an interruption.
public struct UploadProtocol: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case ietf, tus }
    let kind: Kind

    /// Resumable Uploads for HTTP, the draft of the IETF (draft-ietf-httpbis-resumable-upload-12).
    public static let ietf = UploadProtocol(kind: .ietf)
    /// tus 1.0 (tus.io), with its extension Creation.
    public static let tus = UploadProtocol(kind: .tus)
}

/// Options for ``Transport/upload(_:to:resuming:options:observer:clock:)``.
public struct UploadOptions: Sendable {
    /// The file in which the upload is noted, so that the next call, also after a relaunch, continues it; default nil.
    ///
    /// It is deleted when the upload has ended, has mode 0600, and holds the URL of the upload. One file for each
    /// upload. If several users may use it, set `cachePartition` of ``requestOptions``: nothing else tells their
    /// uploads apart.
    public var record: URL?
    /// The fields of the requests, such as `Content-Type`; those with secrets go to the origin of the endpoint only.
    public var fields = HTTPFields()
    /// The metadata of a tus upload, such as the name of the file.
    public var metadata: [String: String] = [:]
    /// The most bytes of one request; default nil: all that is left, within the limit that the server states.
    public var maximumPartBytes: Int64?
    /// Attempts without a byte between them; default 10. The wait between them is from 0.2 seconds up to 20; there is
    /// none if the connection was lost after a MiB that has arrived.
    public var maximumAttempts = 10
    /// Settings of each request. An `Idempotency-Key` is not sent, also one of ``fields``: the requests differ.
    public var requestOptions = RequestOptions()

    /// The default options.
    public init() {}

    /// The default options with changes.
    public init(_ change: (inout UploadOptions) -> Void) {
        self.init()
        change(&self)
    }
}
