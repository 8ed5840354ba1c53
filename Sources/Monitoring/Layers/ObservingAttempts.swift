public import HTTPMessages
public import Transport

/// A layer that reports each request that reaches it to a monitor, as an attempt of a call.
///
/// Put it next to the network, and ``Observing`` with the same monitor outside. Without that each attempt is a call.
/// Of two for the same monitor, the one next to the network reports the attempts.
public struct ObservingAttempts<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The monitor.
    public let monitor: EventMonitor

    /// Creates a layer over a transport.
    public init(base: Base, monitor: EventMonitor) {
        self.base = base
        self.monitor = monitor
        monitor.willObserveAttempts()
    }

    /// Sends a request and reports its events.
    /// - Throws: the base's errors.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let recorder = recorder(for: request, observer)
        do {
            let response = try await base.send(request, observer: recorder)
            recorder.end(
                .completed, head: response.head, received: Int64(response.body.count),
                body: response.body.start(monitor.bodyLimit))
            await recorder.app.finish()
            return response
        } catch {
            recorder.end(.failed(error), head: nil, received: nil)
            await recorder.app.finish()
            throw error
        }
    }

    private func recorder(for request: HTTPRequest, _ observer: (any TransferObserver)?) -> AttemptRecorder {
        let (known, outer) = RecorderSearch.recorders(of: monitor, behind: observer)
        if let known { return AttemptRecorder(request, known, observer, inside: outer, isCall: false) }
        var request = request
        let whole = request.options.call
        let call = OpenCall(id: .next(), lastSignOut: whole?.lastSignOut)
        request.options.call = call
        return AttemptRecorder(request, monitor.begin(request, of: call, in: whole), observer, isCall: true)
    }
}

extension ObservingAttempts: StreamingTransport where Base: StreamingTransport {
    /// Sends a request, and reports its events until the end of the body, or until the reader releases it.
    /// - Throws: the base's errors before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let recorder = recorder(for: request, observer)
        do {
            let response = try await base.stream(request, observer: recorder)
            return response.observed(recorder.app, bodyLimit: monitor.bodyLimit) { [head = response.head] in
                recorder.end($0, head: head, received: $1, body: $2)
            }
        } catch {
            recorder.end(.failed(error), head: nil, received: nil)
            await recorder.app.finish()
            throw error
        }
    }
}
