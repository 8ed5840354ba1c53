import Foundation
import SystemLibraries

/// The connections of a ``LoopbackListener``: an event loop over `poll`, on the listener's thread only.
final class ListenerConnections {
    /// More connections than browsers open; a further one takes the place of the one that would end first.
    private static let maximumCount = 32
    private static let readingTime = Duration.seconds(10)
    /// Closing while the client still sends would cause a reset, which discards the page on its side.
    private static let drainingTime = Duration.seconds(1)

    struct Connection {
        enum Step {
            case read, end
        }

        /// Nil once it has its response.
        var request: RedirectRequest?
        var deadline: ContinuousClock.Instant

        /// What is to be done now; nil for nothing. A client that keeps sending is always readable, and ends too.
        func step(isReadable: Bool, at now: ContinuousClock.Instant) -> Step? {
            deadline <= now ? .end : isReadable ? .read : nil
        }
    }

    private let listeners: [CInt]
    private let wakeup: CInt
    private let path: String
    private let port: UInt16
    private let handler: LoopbackListener.Handler
    private var connections: [CInt: Connection] = [:]

    init(listeners: [CInt], wakeup: CInt, path: String, port: UInt16, handler: @escaping LoopbackListener.Handler) {
        self.listeners = listeners
        self.wakeup = wakeup
        self.path = path
        self.port = port
        self.handler = handler
    }

    /// Serves connections until the wakeup.
    func run() {
        while case let readable = wait(for: [wakeup] + listeners), !readable.contains(wakeup) {
            // In this order, a request that has arrived is served before its connection could be closed for a new one.
            serve(readable)
            for listener in listeners where readable.contains(listener) { accept(from: listener) }
        }
    }

    /// Closes the connections without a response, and lets the others end.
    func drain() {
        for (descriptor, connection) in connections where connection.request != nil { end(descriptor) }
        while !connections.isEmpty { serve(wait(for: [])) }
    }

    /// Blocks until a descriptor can be read, or a deadline is over.
    private func wait(for others: [CInt]) -> Set<CInt> {
        let earliest = connections.values.map(\.deadline).min()
        let rest = earliest.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
        let milliseconds = rest.map { CInt(($0 + .microseconds(999)) / .milliseconds(1)) } ?? -1
        // After a failed poll, such as for lack of memory, the loop must not spin.
        guard let readable = LoopbackSocket.readable(others + connections.keys, milliseconds: milliseconds) else {
            Thread.sleep(forTimeInterval: 0.01)
            return []
        }
        return Set(readable)
    }

    private func accept(from listener: CInt) {
        let descriptor = Foundation.accept(listener, nil, nil)
        guard descriptor >= 0 else {
            // Without free descriptors, the pending client would end each wait at once.
            if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { Thread.sleep(forTimeInterval: 0.02) }
            return
        }
        // Idle clients must not keep the browser out.
        if connections.count >= Self.maximumCount,
            let first = connections.min(by: { $0.value.deadline < $1.value.deadline })
        {
            end(first.key)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
        BrokenPipeSignal.turnOff(forSocket: descriptor)
        connections[descriptor] = Connection(
            request: RedirectRequest(path: path, port: port), deadline: .now + Self.readingTime)
    }

    private func serve(_ readable: Set<CInt>) {
        let now = ContinuousClock.now
        for (descriptor, connection) in connections {
            switch connection.step(isReadable: readable.contains(descriptor), at: now) {
            case .read: read(descriptor, connection)
            case .end: end(descriptor)
            case nil: break
            }
        }
    }

    private func read(_ descriptor: CInt, _ connection: Connection) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        guard count > 0 else {
            if count == 0 || ![EINTR, EAGAIN].contains(errno) { end(descriptor) }
            return
        }
        // After the response, what the client still sends is dropped.
        guard var request = connection.request else { return }
        let verdict = request.append(bytes.prefix(count))
        connections[descriptor]?.request = request
        switch verdict {
        case .response(let query): respond(descriptor, handler(query))
        case .refuse(let status): respond(descriptor, RedirectPage(refusing: status))
        case nil: break
        }
    }

    private func respond(_ descriptor: CInt, _ page: RedirectPage) {
        let bytes = page.bytes
        // A page is far smaller than a socket's buffer.
        _ = write(descriptor, bytes, bytes.count)
        LoopbackSocket.shutDown(.sending, of: descriptor)
        connections[descriptor] = Connection(request: nil, deadline: .now + Self.drainingTime)
    }

    private func end(_ descriptor: CInt) {
        connections[descriptor] = nil
        _ = close(descriptor)
    }
}
