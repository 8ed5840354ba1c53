/// An error that may tell that the call fails again, however often it is sent.
package protocol RecurringError: Error {
    /// True if sending the call again is of no use.
    var isRecurring: Bool { get }
}
