import Connectivity
import Patchbay
import Synchronization

/// A network that is out of reach in a tunnel: no request arrives, and the monitor knows it.
final class Tunnel: StreamingTransport {
    /// What the app asks whether there is a network.
    let network = ManualNetworkMonitor(.reachable)
    private let base: any StreamingTransport
    private let isEntered = Mutex(false)

    init(over base: some StreamingTransport) { self.base = base }

    /// Cuts the connection.
    func enter() {
        isEntered.withLock { $0 = true }
        network.set(.unreachable)
    }

    /// Requests arrive again, before the monitor notices.
    func seeLight() { isEntered.withLock { $0 = false } }

    /// Requests arrive again, and the monitor knows it.
    func leave() {
        seeLight()
        network.set(.reachable)
    }

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try check(request)
        return try await base.send(request, observer: observer)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try check(request)
        return try await base.stream(request, observer: observer)
    }

    private func check(_ request: HTTPRequest) throws {
        guard isEntered.withLock({ $0 }) else { return }
        throw TransportError(.unreachable, "In the tunnel.", request: request)
    }
}
