import Coordination
public import Foundation
public import HTTPMessages
import SystemLibraries

/// Downloads and uploads that the system performs, on Apple's platforms also while the app does not run.
///
/// ```swift
/// let transfers = try BackgroundTransfers(name: "films")             // early, at each launch
/// try await transfers.download(request, to: file, as: "film 7")
/// for await transfer in transfers.completions {
///     show(transfer)                                                 // finished, or failed
///     await transfers.acknowledge(transfer.id)
/// }
/// ```
///
/// The system keeps the transfers under the name, and launches the app when they are complete. Make the object with the
/// same name at each launch, one of a name, and keep it. Each transfer has one completion, which is stored before it
/// is delivered, and delivered at each launch until it is acknowledged. On a full disk it comes when it could be
/// stored. A download is moved to its target by a rename before that.
///
/// The system follows redirects by itself, with all fields, to any origin. So a request with secret fields
/// (`Authorization`, `Cookie` and those of a `Redaction`) or with redirects of its own is refused: use signed URLs. It
/// has no timeouts but the system's, a week, and retries by itself. The body of a response to an upload is not kept.
///
/// Elsewhere `init` throws `unsupported`. The part for Apple's platforms was type-checked, and not run. Thread-safe.
public final class BackgroundTransfers: Sendable {
    private let engine: BackgroundTransferEngine
    private let secrets: RedirectPolicy

    /// Opens the transfers of a name.
    /// - Parameters:
    ///   - name: the identifier of the session, without secrets; by custom it starts with the app's identifier.
    ///   - folder: the folder of the records, of this name only, in the app's own container; default one in the folder
    ///     of application support.
    ///   - secrets: the names of fields that are refused in a request. Of a response, these and the names of
    ///     `Redaction.standard` are not stored.
    ///   - network: settings of connections. `configureSession` gets the configuration of the background session, such
    ///     as for `isDiscretionary`.
    /// - Throws: ``TransportError``: `unsupported` on other platforms than Apple's, for an empty name, for a folder in
    ///   a shared container, and when the name is in use; `temporaryStorage` when the folder cannot be read or written;
    ///   `tls` and `proxy` as `URLSessionTransport`.
    public convenience init(
        name: String, folder: URL? = nil, secrets: Redaction = .standard,
        network: URLSessionTransport.NetworkOptions = .init()
    ) throws(TransportError) {
        guard !name.isEmpty else {
            throw TransportError(.unsupported, "The name of background transfers is empty; set one.")
        }
        let makeSession = try BackgroundURLSession.maker(of: name, network)
        try self.init(
            folder: folder ?? Self.folder(name), clock: .continuous, secrets: secrets, makeSession: makeSession)
    }

    /// Opens transfers over another session, for tests.
    init(
        folder: URL, clock: AnyMonotonicClock, handlerQueue: DispatchQueue = .main, secrets: Redaction = .standard,
        makeSession: BackgroundTransferEngine.MakeSession
    ) throws(TransportError) {
        let policy = RedirectPolicy(secrets: secrets)
        self.secrets = policy
        engine = try BackgroundTransferEngine(
            folder: try BackgroundTransferFolder(folder), clock: clock, handlerQueue: handlerQueue,
            secrets: policy, makeSession: makeSession)
    }

    private static func folder(_ name: String) -> URL {
        let own = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return (UserFolder.applicationSupport.url ?? FileManager.default.temporaryDirectory)
            .appending(path: "patchbay-background-transfers", directoryHint: .isDirectory)
            .appending(path: own, directoryHint: .isDirectory)
    }

    // MARK: Starting

    /// Starts a download to a file; returns when the system has it.
    /// - Parameters:
    ///   - request: a request without a body.
    ///   - file: the target, in an existing folder; another file of that name is replaced.
    ///   - name: any text, to tell the transfer after a relaunch; it is stored.
    /// - Throws: ``TransportError``: `unsupported` for a body, for secrets, and for options that the system does not
    ///   have; `temporaryStorage`. ``DownloadError`` for the target.
    @discardableResult
    public func download(
        _ request: HTTPRequest, to file: URL, as name: String = ""
    ) async throws -> BackgroundTransfer {
        try request.checkForBackground(secrets)
        guard request.body.isEmpty else {
            throw TransportError(
                .unsupported, "A download in the background has no body; send it in the query.", request: request)
        }
        let target = try PartialFile.checked(file)
        let record = BackgroundTransferRecord(
            id: UUID(), name: name, isUpload: false, request: request, file: target)
        return try await engine.start(record, request, uploading: nil)
    }

    /// Starts an upload of a file; returns when the system has it.
    /// - Parameters:
    ///   - request: a request whose body is one whole file. Keep it, unchanged, until the completion: the system opens
    ///     it when it sends it.
    ///   - name: any text, to tell the transfer after a relaunch; it is stored.
    /// - Throws: ``TransportError``: `unsupported` for another body, for secrets, and for options that the system does
    ///   not have; `unreadableBody`; `temporaryStorage`.
    @discardableResult
    public func upload(_ request: HTTPRequest, as name: String = "") async throws -> BackgroundTransfer {
        try request.checkForBackground(secrets)
        guard case .file(let source) = RequestBodyUpload(request.body, for: .files) else {
            throw TransportError(
                .unsupported,
                "An upload in the background needs one whole file with content as its body; write it to a file.",
                request: request)
        }
        let record = BackgroundTransferRecord(id: UUID(), name: name, isUpload: true, request: request, file: source)
        return try await engine.start(record, request, uploading: source)
    }

    // MARK: Following

    /// The transfers that are running, and those whose completion is not acknowledged.
    public var transfers: [BackgroundTransfer] { get async { await engine.transfers() } }

    /// The completions that are not acknowledged: those of now, also of earlier launches, then each that follows, once.
    ///
    /// It does not end before its task. Each reader gets all of them.
    public var completions: AsyncStream<BackgroundTransfer> { engine.completions() }

    /// All transfers, now and after changes; a slow reader gets the latest.
    public var changes: AsyncStream<[BackgroundTransfer]> { engine.changes() }

    /// Removes a transfer whose completion the app has taken over. Without effect on a running one.
    public func acknowledge(_ id: UUID) async { await engine.acknowledge(id) }

    /// Cancels a running transfer, which then fails with the reason `cancelled`. Without effect on a complete one.
    public func cancel(_ id: UUID) async { await engine.cancel(id) }

    /// Calls the system's completion handler after all events that have waited for the app.
    ///
    /// From `application(_:handleEventsForBackgroundURLSession:completionHandler:)`, for the identifier of this name.
    /// - Parameter completion: called once, on the main queue, after the completions are stored.
    public func handleEvents(completion: @escaping @Sendable () -> Void) { engine.addHandler(completion) }
}

extension HTTPRequest {
    /// Refuses what a background session cannot do, or would send to other origins.
    fileprivate func checkForBackground(_ secrets: RedirectPolicy) throws {
        try checkForURLSession()
        guard options.pacedBodies.isEmpty else {
            throw TransportError(
                .unsupported, "Background transfers have no limit of the bandwidth; remove it.", request: self)
        }
        guard options.redirectPolicy == .byPolicy else {
            throw TransportError(
                .unsupported,
                "The system follows redirects by itself in the background; remove `redirectPolicy`, or send the "
                    + "request in the foreground.", request: self)
        }
        guard options.timeouts.total == nil else {
            throw TransportError(
                .unsupported,
                "Background transfers have no total timeout; remove it, or set `timeoutIntervalForResource` of the "
                    + "session.", request: self)
        }
        if let field = fields.first(where: { secrets.isSecret($0.name) }) {
            throw TransportError(
                .unsupported,
                "The header \(field.name) is secret, and the system would send it to other origins too when it follows "
                    + "a redirect in the background; use a signed URL.", request: self)
        }
        guard !options.hasSecretBody else {
            throw TransportError(
                .unsupported,
                "The body has credentials, and the system would send it to other origins too when it follows a "
                    + "redirect in the background; send it in the foreground.", request: self)
        }
    }
}
