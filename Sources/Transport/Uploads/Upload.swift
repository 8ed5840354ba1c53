import Coordination
import Foundation
import HTTPMessages

/// One resumable upload: connects the state machine, the source, the record and the transport.
struct Upload<Base: Transport> {
    let base: Base
    let source: UploadSource
    let endpoint: URL
    let kind: UploadProtocol.Kind
    let options: UploadOptions
    /// What joins a tus upload and others (tus 1.0, Concatenation); nil for a whole one.
    var concatenation: UploadConcatenation?
    let observer: (any TransferObserver)?
    let clock: AnyMonotonicClock
    /// The end of the total timeout, if there is one.
    let deadline: Duration?

    /// What has stopped a request, if a further one may succeed.
    private struct Interruption {
        let error: any Error
        /// True for a status, false for a lost connection.
        var isRefusal = false
        /// The wait that the server asks for.
        var retryAfter: Duration?

        init(_ error: any AttemptListing) {
            self.error = error
            retryAfter = error.retryAfter
        }

        init(_ head: HTTPResponseHead) {
            error = head.status.isSuccessful ? UploadError.noProgress(head) : .unacceptable(head)
            isRefusal = true
            retryAfter = head.retryAfter(at: Date())
        }
    }

    /// Performs the upload.
    /// - Returns: the last response, and the URL of the upload.
    func run() async throws -> (response: HTTPResponse, upload: URL?) {
        let fingerprint = try options.record.map { _ in try source.fingerprint() } ?? ""
        var state = UploadState(
            kind, endpoint: endpoint, length: source.length, limit: options.maximumPartBytes,
            upload: recorded(fingerprint))
        var waits = ResumptionWait(count: state.offset)
        // The interruption of a part of which the server may have bytes: that is asked before the wait.
        var interruption: Interruption?
        var attempts: [TransportError.AttemptRecord] = []
        while true {
            let step = state.step
            var failure: Interruption?
            do {
                let response = try await send(step, state)
                let action = try received(response.head, &state)
                if step == .create, let upload = state.upload { try write(upload, fingerprint) }
                // The upload is gone, and another one follows.
                if state.upload == nil, step != .create { removeRecord() }
                if action == .finish {
                    removeRecord()
                    return (response, state.upload)
                }
                if action == .wait {
                    attempts.append(TransportError.AttemptRecord(.status(response.head.status)))
                    failure = Interruption(response.head)
                }
            } catch var error as any AttemptListing {
                error.append(to: &attempts)
                guard error.isInterruption(hasProgress: state.upload != nil) else { throw error }
                state.interrupted()
                failure = Interruption(error)
            }
            if case .send = step, let failure, options.maximumAttempts > 1 {
                interruption = failure
                attempts[attempts.count - 1].backoff = failure.retryAfter ?? .zero
                if let wait = failure.retryAfter {
                    try await self.wait(wait, failure.error, step, state)
                }
                continue
            }
            guard let current = failure ?? interruption else { continue }
            interruption = nil
            var wait = waits.interrupted(count: state.offset, isRefused: current.isRefusal)
            guard waits.failures < options.maximumAttempts else { throw current.error }
            wait = max(wait, failure?.retryAfter ?? .zero)
            attempts[attempts.count - 1].backoff = (attempts.last?.backoff ?? .zero) + wait
            try await self.wait(wait, current.error, step, state)
        }
    }

    private func received(
        _ head: HTTPResponseHead, _ state: inout UploadState
    ) throws(UploadError) -> UploadState.Action {
        // The parts are joined, also if the response does not name the upload.
        if concatenation?.isFinal ?? false, head.status.isSuccessful { return .finish }
        do throws(UploadError) {
            return try state.received(head)
        } catch {
            // The next call sends the content again: asking would only tell that it has arrived, or is refused.
            if state.hasFailedComplete || state.isRefused { removeRecord() }
            if state.isRefused, let upload = state.upload { cancel(upload) }
            throw error
        }
    }

    /// Asks the server to delete an upload that it has refused. The error does not wait for that.
    ///
    /// Only at the origin of the endpoint: elsewhere the server would choose what the user's credentials delete.
    private func cancel(_ upload: URL) {
        var fields = options.fields
        fields.remove(.contentType)
        guard var request = try? prepared(HTTPRequest(.delete, upload, fields: fields)),
            request.origin == Origin(endpoint)
        else { return }
        request.options.timeouts.reduceTotal(to: .seconds(30))
        Task { [base, request] in _ = try? await base.send(request) }
    }

    private func wait(
        _ wait: Duration, _ failure: any Error, _ step: UploadState.Step, _ state: UploadState
    ) async throws {
        guard wait <= ResumptionWait.longestRetryAfter else { throw failure }
        if let deadline, clock.now + wait >= deadline { throw failure }
        do { try await clock.sleep(until: clock.now + wait) } catch {
            throw TransportError.cancelled(try request(step, state))
        }
    }

    private func send(_ step: UploadState.Step, _ state: UploadState) async throws -> HTTPResponse {
        var request = try request(step, state)
        if let deadline {
            let rest = deadline - clock.now
            guard rest > .zero else {
                throw TransportError.timedOut(
                    .total, "Timed out: the upload did not finish in time.", request: request)
            }
            request.options.timeouts.reduceTotal(to: rest)
        }
        guard case .send(_, let range) = step, let observer else { return try await base.send(request) }
        return try await base.send(
            request, observer: PartObserver(base: observer, offset: range.lowerBound, length: source.length))
    }

    private func request(_ step: UploadState.Step, _ state: UploadState) throws -> HTTPRequest {
        var fields = options.fields
        let request: HTTPRequest
        switch step {
        case .create:
            switch (kind, concatenation) {
            case (.ietf, _):
                fields["Upload-Length"] = "\(source.length)"
                fields["Upload-Complete"] = "?0"
            case (.tus, let concatenation):
                // A joined upload has the length of its parts, and does not get their metadata.
                if !(concatenation?.isFinal ?? false) { fields["Upload-Length"] = "\(source.length)" }
                if concatenation?.isFinal ?? true, let metadata = options.metadataField {
                    fields["Upload-Metadata"] = metadata
                }
                fields["Upload-Concat"] = concatenation?.field
            }
            request = try HTTPRequest(.post, endpoint, fields: fields, body: .bytes(Data()))
        case .ask(let upload):
            fields.remove(.contentType)
            request = try HTTPRequest(.head, upload, fields: fields)
        case .send(let upload, let range):
            fields["Upload-Offset"] = "\(range.lowerBound)"
            if kind == .ietf {
                fields[.contentType] = "application/partial-upload"
                fields["Upload-Complete"] = range.upperBound == source.length ? "?1" : "?0"
            } else {
                fields[.contentType] = "application/offset+octet-stream"
            }
            request = try HTTPRequest(.patch, upload, fields: fields, body: try source.part(range))
        }
        return try prepared(request)
    }

    private func prepared(_ request: HTTPRequest) throws -> HTTPRequest {
        var request = request
        request.options = options.requestOptions
        request.options.isUploadStep = true
        request.fields.remove(.idempotencyKey)
        switch kind {
        case .ietf: request.fields["Upload-Draft-Interop-Version"] = "8"
        case .tus: request.fields["Tus-Resumable"] = "1.0.0"
        }
        let home = try HTTPRequest(.post, endpoint).origin
        if request.origin != home {
            guard request.body.isEmpty || !request.options.hasSecretBody else {
                // The next call creates another one: the server may have been changed.
                removeRecord()
                throw UploadError(
                    .unsupported,
                    "Upload is at \(request.origin.text), another origin than its endpoint, and the body contains "
                        + "credentials; use an endpoint at that origin.")
            }
            request.leave(home)
        }
        return request
    }

    // MARK: Record

    private func recorded(_ fingerprint: String) -> URL? {
        guard let record = options.record.flatMap({ UploadRecord(at: $0) }),
            record.endpoint == endpoint.absoluteString, record.length == source.length,
            record.fingerprint == fingerprint, record.user == user
        else { return nil }
        return URL(string: record.upload)
    }

    private func write(_ upload: URL, _ fingerprint: String) throws(UploadError) {
        guard let file = options.record else { return }
        try UploadRecord(
            endpoint: endpoint.absoluteString, upload: upload.absoluteString, length: source.length,
            fingerprint: fingerprint, user: user
        ).write(to: file)
    }

    private var user: Data? { options.requestOptions.cachePartition?.hash(at: endpoint.absoluteString) }

    private func removeRecord() {
        if let record = options.record { try? FileManager.default.removeItem(at: record) }
    }
}

/// Counts the bytes of a part as bytes of the whole.
private struct PartObserver: TransferObserver {
    let base: any TransferObserver
    let offset: Int64
    let length: Int64

    var isImmediate: Bool { base.isImmediate }

    func transfer(didEmit event: TransferEvent) {
        if case .sentBytes(let count, _) = event {
            base.transfer(didEmit: .sentBytes(offset + count, total: length))
        } else {
            base.transfer(didEmit: event)
        }
    }
}
