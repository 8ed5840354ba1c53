/// One requirement of a transport.
///
/// Write your own for what your transports guarantee beyond ``TransportConformance``:
///
/// ```swift
/// let stamped = ConformanceCase("adds X-Stamp") { subject in
///     try await subject.serving { $0.response() } body: { rig in
///         _ = try await rig.send()
///         guard rig.requests[0].fields["X-Stamp"] == "1" else { throw ConformanceFailure("X-Stamp is missing") }
///     }
/// }
/// ```
public typealias ConformanceCase = ConformanceRequirement<ConformanceSubject>

extension ConformanceCase {
    /// Creates a case for transports.
    /// - Parameter body: throws, preferably a ``ConformanceFailure``, when the subject does not conform.
    public init(
        _ name: String, needs: Set<ConformanceSubject.Capability> = [],
        _ body: @escaping @Sendable (ConformanceSubject) async throws -> Void
    ) {
        self.init(name, needs: needs) { subject, end in
            let work = Task {
                do { end(.success(try await body(subject))) } catch { end(.failure(error)) }
            }
            return { work.cancel() }
        }
    }
}
