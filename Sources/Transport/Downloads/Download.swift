import Coordination
import Foundation
import HTTPMessages
import PatchbayErrors

/// One download: connects the state machine, the partial file and the transport.
struct Download<Base: StreamingTransport> {
    let base: Base
    let request: HTTPRequest
    let file: URL
    /// The folder in which the complete file gets the name that the server gives it; nil if that is `file`.
    var folder: URL?
    let options: DownloadOptions
    /// Makes another URL of the file when one has expired.
    var renewingURL: (@Sendable (HTTPResponseHead) async throws -> URL?)?
    let observer: (any TransferObserver)?
    /// Measures the total timeout, which spans all requests of the download, and the waits between them.
    let clock: AnyMonotonicClock

    /// Performs the download; `@concurrent`, so blocking file calls run on the task's preferred executor.
    @concurrent func run() async throws -> DownloadedFile {
        let deadline = request.options.timeouts.total.map { clock.now + $0 }
        // Validates the request before any file is created.
        _ = try DownloadState(request, options: options)
        let partial = try PartialFile(for: file, isKept: options.resumes)
        var state = try DownloadState(request, options: options, record: partial.record, size: partial.size)
        // Of this call only: once the partial file is renamed, another call may begin with the same `file`.
        let complete = folder?.appending(path: ".patchbay-\(UUID().uuidString).download", directoryHint: .notDirectory)
        let head: HTTPResponseHead
        do {
            head = try await fetch(&state, into: partial, until: deadline)
            if let digest = try options.digest.expected(head, sent: state.digest) {
                do throws(DownloadError) {
                    try partial.check(digest)
                } catch {
                    // None of the bytes is trustworthy.
                    partial.discard()
                    throw error
                }
            }
            try partial.commit(to: complete)
        } catch {
            if state.record == nil || state.count == 0 { partial.discard() }
            throw error
        }
        var url = file
        if let folder, let complete {
            do throws(DownloadError) {
                url = try DownloadName.move(
                    complete, named: DownloadName.name(state.disposition, at: head.url), to: folder)
            } catch {
                // Its name is known to no later call.
                try? FileManager.default.removeItem(at: complete)
                throw error
            }
        }
        return DownloadedFile(url: url, head: head, byteCount: state.count, resumedBytes: state.resumed)
    }

    /// Fetches the file in as many requests as it takes.
    private func fetch(
        _ state: inout DownloadState, into partial: PartialFile, until deadline: Duration?
    ) async throws -> HTTPResponseHead {
        let call = state.openCall()
        defer { call.close() }
        var waits = ResumptionWait(count: state.count)
        var attempts: [TransportError.AttemptRecord] = []
        while true {
            do {
                if let head = try await fetchPart(&state, into: partial, until: deadline) { return head }
            } catch var error as any AttemptListing {
                let count = error.attempts.count
                error.append(to: &attempts)
                guard error.isInterruption(hasProgress: state.count > 0) else { throw error }
                // The attempts of a retrying layer count too.
                let wait = max(waits.interrupted(count: state.count, attempts: count), error.retryAfter ?? .zero)
                guard waits.failures < options.maximumAttempts, request.mayBeRepeated else { throw error }
                attempts[attempts.count - 1].backoff = wait
                try await self.wait(wait, error, until: deadline)
            } catch let error as DownloadError where error.isOfURL {
                guard let renewingURL, let head = error.head, request.mayBeRepeated else { throw error }
                _ = waits.interrupted(count: state.count)
                // One more URL than attempts: the first one may have been old already.
                guard waits.failures <= options.maximumAttempts, let url = try await renewingURL(head) else {
                    throw error
                }
                try state.renew(url)
            }
        }
    }

    /// Sends one request and writes its body.
    /// - Returns: nil if another request must be sent for the rest.
    private func fetchPart(
        _ state: inout DownloadState, into partial: PartialFile, until deadline: Duration?
    ) async throws -> HTTPResponseHead? {
        let observer = observer.map { OffsetObserver($0, offset: state.record == nil ? 0 : state.count) }
        let request = try state.request(timeLeft: deadline.map { $0 - clock.now })
        let response: HTTPResponseStream
        do {
            response = try await base.stream(request, observer: observer)
        } catch  where error.isOfPart && state.restart() {
            return nil
        }
        guard case .write(let offset, let record) = try await action(for: response, &state) else { return nil }
        try partial.begin(at: offset, record)
        do {
            for try await chunk in response.body {
                try state.willWrite(chunk.count)
                try partial.append(chunk)
            }
        } catch {
            // The error of a layer that has checked the body: none of the bytes is trustworthy.
            if !(error is any AttemptListing || error is DownloadError || error.isCancellation) { state.reset() }
            throw error
        }
        // The body may have ended because of that, without an error.
        if Task.isCancelled { throw TransportError.cancelled(request, head: response.head) }
        return try state.bodyFinished() ? response.head : nil
    }

    /// Waits before the next attempt; throws the error of the last one if the total timeout ends before.
    private func wait(_ wait: Duration, _ error: any Error, until deadline: Duration?) async throws {
        guard wait <= ResumptionWait.longestRetryAfter else { throw error }
        if let deadline, clock.now + wait >= deadline { throw error }
        do { try await clock.sleep(until: clock.now + wait) } catch { throw TransportError.cancelled(request) }
    }

    private func action(
        for response: HTTPResponseStream, _ state: inout DownloadState
    ) async throws -> DownloadState.Action {
        do throws(DownloadError) {
            return try state.received(response.head)
        } catch {
            guard error.code == .unacceptableStatus else { throw error }
            var error = error
            var chunks = response.body.makeAsyncIterator()
            error.bodyPrefix = ((try? await chunks.next()) ?? Data()).prefix(1024)
            // The body may have ended because of that, with an error or without.
            if Task.isCancelled { throw TransportError.cancelled(request, head: response.head) }
            throw error
        }
    }
}

extension Error {
    /// True if a part of the file is refused: the engine cannot decode it, or a layer does not accept its head.
    fileprivate var isOfPart: Bool {
        if self is any AttemptListing { return (self as? TransportError)?.code == .undecodableContent }
        return (self as? any StatusCarrying)?.responseStatus == .partialContent
    }
}

extension DownloadError {
    /// True if the URL may have expired.
    fileprivate var isOfURL: Bool {
        code == .unacceptableStatus && head.map { [401, 403, 404, 410].contains($0.status.code) } ?? false
    }
}

extension HTTPRequest {
    /// True if sending the request again has no further effect.
    fileprivate var mayBeRepeated: Bool { method.isIdempotent && body.isReplayable }
}
