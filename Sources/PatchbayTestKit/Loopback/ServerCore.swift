import Coordination
import Foundation
import SystemLibraries
import Transport

/// The state shared by a server's threads, which keep it alive after the server is released.
final class ServerCore: Sendable {
    typealias Handler = @Sendable (RawConnection) async -> Void

    private struct Connection {
        let socket: Socket
        let task: Task<Void, Never>
    }
    private struct State {
        var isAccepting = false
        var isStopping = false
        var accepted = 0
        var connections: [Int: Connection] = [:]

        var hasEnded: Bool { !isAccepting && connections.isEmpty }
    }

    let listener: ListeningSocket
    let origin: String
    let log: RequestLog
    private let limits: LoopbackServer.Limits
    private let handle: Handler
    private let state = Watched(State())

    // Large enough for services that decode deeply nested bodies; unused pages take no memory.
    private static let stackSize = 1 << 20

    init(listener: ListeningSocket, limits: LoopbackServer.Limits, handle: @escaping Handler) {
        self.listener = listener
        self.limits = limits
        self.handle = handle
        origin = "http://127.0.0.1:\(listener.port)"
        log = RequestLog(capacity: limits.recordedRequests)
    }

    var connectionCount: Int { state.value.accepted }
    var openConnectionCount: Int { state.value.connections.count }

    func waitForOpenConnections(_ count: Int) async throws {
        let open = try await state.wait { $0.connections.count == count || $0.hasEnded }.connections.count
        guard open == count else {
            throw LoopbackError.stopped("it has no connections, and the test waits for \(count)")
        }
    }

    /// Starts the thread that accepts connections.
    func start() {
        state.update { $0.isAccepting = true }
        Self.startThread { [self] in
            while let socket = listener.accept() { serve(socket) }
            listener.close()
            update { $0.isAccepting = false }
        }
    }

    /// Changes the state at the end of a thread; after the last one there are no further requests.
    private func update(_ change: (inout State) -> Void) {
        let hasEnded = state.update { state in
            change(&state)
            return state.hasEnded
        }
        if hasEnded { log.close() }
    }

    func beginStopping() {
        let connections = state.update { state in
            state.isStopping = true
            return Array(state.connections.values)
        }
        listener.stop()
        for connection in connections {
            connection.task.cancel()
            connection.socket.stop()
        }
    }

    func stop() async {
        beginStopping()
        // Throws only when the caller is cancelled; the server stops regardless.
        _ = try? await state.wait { $0.hasEnded }
    }

    /// Starts a connection's thread and a task bound to it, so blocking system calls and services switch no threads.
    private func serve(_ socket: Socket) {
        let executor = ThreadExecutor()
        let (number, isStopping) = state.update { state in
            let number = state.accepted
            state.accepted += 1
            let task = Task(executorPreference: executor) { [self] in
                let connection = RawConnection(number: number, socket: socket, log: log, origin: origin, limits: limits)
                await handle(connection)
                connection.close()
                executor.finish()
            }
            state.connections[number] = Connection(socket: socket, task: task)
            if state.isStopping { task.cancel() }
            return (number, state.isStopping)
        }
        if isStopping { socket.stop() }
        Self.startThread { [self] in
            BrokenPipeSignal.turnOffForThread()
            executor.run()
            update { $0.connections[number] = nil }
        }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = stackSize
        thread.start()
    }
}
