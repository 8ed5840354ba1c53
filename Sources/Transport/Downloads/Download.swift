import Coordination
import Foundation
import HTTPMessages

/// One download: connects the state machine, the partial file and the transport.
struct Download<Base: StreamingTransport> {
    let base: Base
    let request: HTTPRequest
    let file: URL
    let options: DownloadOptions
    let observer: (any TransferObserver)?
    /// Measures the total timeout, which spans all requests of the download.
    var clock = AnyMonotonicClock.continuous

    /// Performs the download; `@concurrent`, so blocking file calls run on the task's preferred executor.
    @concurrent func run() async throws -> DownloadedFile {
        let deadline = request.options.timeouts.total.map { clock.now + $0 }
        // Validates the request before any file is created.
        _ = try DownloadState(request, options: options)
        let partial = try PartialFile(for: file, isKept: options.resumes)
        var state = try DownloadState(request, options: options, record: partial.record, size: partial.size)
        do {
            let head = try await fetch(&state, into: partial, until: deadline)
            try partial.commit()
            return DownloadedFile(url: file, head: head, byteCount: state.count, resumedBytes: state.resumed)
        } catch {
            if state.record == nil || state.count == 0 { partial.discard() }
            throw error
        }
    }

    private func fetch(
        _ state: inout DownloadState, into partial: PartialFile, until deadline: Duration?
    ) async throws -> HTTPResponseHead {
        while true {
            let observer = observer.map { OffsetObserver($0, offset: state.count) }
            let request = try state.request(timeLeft: deadline.map { $0 - clock.now })
            let response = try await base.stream(request, observer: observer)
            guard case .write(let offset, let record) = try await action(for: response, &state) else { continue }
            try partial.begin(at: offset, record)
            for try await chunk in response.body {
                try state.willWrite(chunk.count)
                try partial.append(chunk)
            }
            if try state.bodyFinished() { return response.head }
        }
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
