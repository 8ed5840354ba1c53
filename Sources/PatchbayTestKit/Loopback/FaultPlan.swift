public import Foundation

/// What a server does with one request, step by step, right or wrong.
///
/// ```swift
/// let halfBody: FaultPlan = [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close]
/// let server = try LoopbackServer(plan: { request in request.number == 0 ? halfBody : [.answer(by: service)] })
/// ```
///
/// After the last step the connection waits for its next request, unless a step has ended it.
public struct FaultPlan: Sendable, ExpressibleByArrayLiteral {
    /// One thing that a server does.
    public struct Step: Sendable {
        /// Returns false when the connection has ended.
        let perform: @Sendable (RawConnection, RecordedRequest) async throws -> Bool

        /// Sends bytes as they are.
        public static func send(_ bytes: Data) -> Step {
            Step { connection, _ in
                try connection.send(bytes)
                return true
            }
        }

        /// Sends a text as it is, in UTF-8.
        public static func send(_ text: String) -> Step { send(Data(text.utf8)) }

        /// Sends bytes in small pieces with a pause after each.
        /// - Parameters:
        ///   - size: the bytes of a piece, at least 1.
        ///   - clock: measures the pauses; a ``ManualClock`` leaves them to the test.
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

        /// Answers the way a server does.
        public static func answer(by service: some HTTPService) -> Step {
            Step { connection, request in try await connection.answer(request, with: service) }
        }

        /// Waits until a gate is open.
        public static func wait(for gate: Gate) -> Step {
            Step { _, _ in
                try await gate.wait()
                return true
            }
        }

        /// Closes the connection in order.
        public static let close = Step { connection, _ in
            connection.close()
            return false
        }

        /// Breaks the connection off; the client sees a reset.
        public static let reset = Step { connection, _ in
            connection.reset()
            return false
        }

        /// Answers nothing until the client gives up or the server is stopped.
        public static let stall = Step { connection, _ in
            connection.stall()
            return false
        }
    }

    /// The steps, in order.
    public var steps: [Step]

    /// A plan of steps.
    public init(_ steps: [Step]) { self.steps = steps }
    /// A plan of steps.
    public init(arrayLiteral steps: Step...) { self.init(steps) }

    /// Performs the steps.
    /// - Returns: false when the connection has ended.
    func perform(on connection: RawConnection, for request: RecordedRequest) async throws -> Bool {
        for step in steps {
            guard try await step.perform(connection, request) else { return false }
        }
        return true
    }
}
