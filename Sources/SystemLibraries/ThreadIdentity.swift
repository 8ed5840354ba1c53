#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Identity of a thread. It may be reused after the thread has ended.
package struct ThreadIdentity: Hashable, Sendable {
    private let bits: UInt

    /// The identity as an integer, never 0.
    package var rawValue: UInt { bits }

    /// The current thread.
    package static var current: ThreadIdentity {
        // `pthread_t` is an integer on Linux and a pointer on Darwin, of the same size.
        withUnsafeBytes(of: pthread_self()) { ThreadIdentity(bits: $0.loadUnaligned(as: UInt.self)) }
    }
}
