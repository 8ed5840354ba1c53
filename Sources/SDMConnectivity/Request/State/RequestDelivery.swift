import Coordination
import Delegation
import Foundation

/// The delegate of a request: whether it is called, whether it takes the body, and what it has to decide.
struct RequestDelivery: Sendable {
    /// The receiver of the bytes of the body, as far as it is known.
    enum Receiver {
        /// No bytes were delivered yet.
        case unknown
        /// The delegate has no method for them: `responseData` keeps them.
        case request
        /// The delegate's method.
        case delegate
    }

    /// What a delegate has decided about credentials.
    enum CredentialDecision {
        /// To try again with the supplied ones.
        case retry
        case cancel
        /// Nothing: it has no method for the question, or was released.
        case undecided
    }

    var delegate = WeakTarget(nil)
    /// True after `clearDelegatesAndCancel`: nothing is called any more.
    var isSilenced = false
    private(set) var receiver = Receiver.unknown
    /// True while the default method for received bytes may report that there is no other.
    private var isDeliveringData = false
    /// The pending decision about a redirect: its target.
    var redirectDecision: Promise<URL>?
    /// The pending decision about credentials.
    var credentialDecision: Promise<CredentialDecision>?

    /// The delegate; nil if it is not called any more.
    var target: WeakTarget? { isSilenced ? nil : delegate }

    /// Starts to deliver bytes to the delegate.
    mutating func willDeliverData() { isDeliveringData = true }

    /// Notes that the delegate has no method for received bytes: the default of all forms was called.
    mutating func keepsData() { isDeliveringData = false }

    /// Notes whether a method of the delegate was called with bytes; the first one decides.
    mutating func didDeliverData(wasCalled: Bool) {
        if receiver == .unknown { receiver = wasCalled && isDeliveringData ? .delegate : .request }
        isDeliveringData = false
    }
}
