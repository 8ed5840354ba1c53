public import Foundation

/// The steps by which a server handles one request, correctly or not.
///
/// ```swift
/// let truncated: ServerScript = [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close]
/// let server = try LoopbackServer(script: { request in request.number == 0 ? truncated : [.respond(with: service)] })
/// ```
///
/// After the last step the connection reads its next request, unless a step has closed it.
public struct ServerScript: Sendable, ExpressibleByArrayLiteral {
    /// One action of the server.
    public struct Step: Sendable {
        /// Returns false when the connection is closed.
        let perform: @Sendable (RawConnection, RecordedRequest) async throws -> Bool

        /// Sends raw bytes.
        public static func send(_ bytes: Data) -> Step {
            Step { connection, _ in
                try connection.send(bytes)
                return true
            }
        }

        /// Sends raw text in UTF-8.
        public static func send(_ text: String) -> Step { send(Data(text.utf8)) }

        /// Sends raw bytes in small pieces, with a pause after each.
        /// - Parameters:
        ///   - size: bytes per piece, at least 1.
        ///   - clock: times the pauses; with a ``ManualClock`` the test controls them.
        public static func drip(
            _ bytes: Data, size: Int = 1, every pause: Duration, clock: any Clock<Duration> = ContinuousClock()
        ) -> Step {
            Step { connection, _ in
                var rest = bytes
                while !rest.isEmpty {
                    try connection.send(Data(rest.prefix(max(1, size))))
                    rest = rest.dropFirst(max(1, size))
                    try await clock.sleep(for: pause)
                }
                return true
            }
        }

        /// Sends the response of a service.
        public static func respond(with service: some HTTPService) -> Step {
            Step { connection, request in try await connection.respond(to: request, with: service) }
        }

        /// Waits until a gate is open.
        public static func wait(for gate: Gate) -> Step {
            Step { _, _ in
                try await gate.wait()
                return true
            }
        }

        /// Closes the connection (FIN).
        public static let close = Step { connection, _ in
            connection.close()
            return false
        }

        /// Resets the connection (RST).
        public static let reset = Step { connection, _ in
            connection.reset()
            return false
        }

        /// Sends nothing until the client disconnects or the server is stopped.
        public static let stall = Step { connection, _ in
            connection.stall()
            return false
        }
    }

    /// The steps, in order.
    public var steps: [Step]

    /// Creates a script.
    public init(_ steps: [Step]) { self.steps = steps }
    /// Creates a script from an array literal.
    public init(arrayLiteral steps: Step...) { self.init(steps) }

    /// Performs the steps.
    /// - Returns: false when the connection is closed.
    func perform(on connection: RawConnection, for request: RecordedRequest) async throws -> Bool {
        for step in steps {
            guard try await step.perform(connection, request) else { return false }
        }
        return true
    }
}
