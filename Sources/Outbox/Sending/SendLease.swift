/// The right to send the entries of a store, which one sender at a time has.
struct SendLease: Hashable, Sendable {
    /// The sender; nil while no one sends.
    var owner: String?
    /// Counts the signs of life.
    var beat: Int64 = 0
    /// The wall clock time of the last sign of life, in milliseconds.
    var renewed: Int64 = 0

    /// The same lease after a sign of life.
    func next(renewed: Int64) -> SendLease { SendLease(owner: owner, beat: beat &+ 1, renewed: renewed) }
}
