/// Receives the result of a legacy call: exactly one of the two methods is called, on ``WLClient/delivery``.
public protocol WLDelegate: AnyObject {
    /// The call succeeded.
    func onSuccess(_ response: WLResponse!)
    /// The call failed.
    func onFailure(_ response: WLFailResponse!)
}
