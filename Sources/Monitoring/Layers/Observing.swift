public import HTTPMessages
public import Transport

/// A layer that reports the calls through it to a monitor.
///
/// ```swift
/// let monitor = EventMonitor([.log(.basic)])
/// let transport = network.observingAttempts(by: monitor).redirecting().retrying(.standard).observing(by: monitor)
/// ```
///
/// Put it outside all layers whose work belongs to a call. A second one for the same monitor has no effect. The parts
/// of a download or an upload, and the connections of an event stream, have one ``ObservedCall/id``, and the numbers of
/// their attempts go on.
public struct Observing<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The monitor.
    public let monitor: EventMonitor

    /// Creates a layer over a transport.
    public init(base: Base, monitor: EventMonitor) {
        self.base = base
        self.monitor = monitor
    }

    /// Sends a request and reports its events.
    /// - Throws: the base's errors.
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        guard let recorder = recorder(for: request, observer) else {
            return try await base.send(request, observer: observer)
        }
        let app = AppObserver(observer, of: request, monitor)
        do {
            let response = try await base.send(
                recorder.call.request,
                observer: observer == nil ? recorder : CallObserver(recorder, app))
            recorder.end(
                .completed, head: response.head, received: Int64(response.body.count),
                body: response.body.start(monitor.bodyLimit))
            await app.finish()
            return response
        } catch {
            recorder.end(.failed(error), head: nil, received: nil)
            await app.finish()
            throw error
        }
    }

    private func recorder(for request: HTTPRequest, _ observer: (any TransferObserver)?) -> CallRecorder? {
        guard RecorderSearch.recorder(of: monitor, behind: observer) == nil else { return nil }
        var request = request
        let call = request.options.beginCall()
        return monitor.begin(request, of: call)
    }
}

extension Observing: StreamingTransport where Base: StreamingTransport {
    /// Sends a request, and reports its events until the end of the body, or until the reader releases it.
    /// - Throws: the base's errors before the head arrives.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        guard let recorder = recorder(for: request, observer) else {
            return try await base.stream(request, observer: observer)
        }
        let app = AppObserver(observer, of: request, monitor)
        do {
            let response = try await base.stream(
                recorder.call.request,
                observer: observer == nil ? recorder : CallObserver(recorder, app))
            return response.observed(app, bodyLimit: monitor.bodyLimit) { [head = response.head] in
                recorder.end($0, head: head, received: $1, body: $2)
            }
        } catch {
            recorder.end(.failed(error), head: nil, received: nil)
            await app.finish()
            throw error
        }
    }
}
