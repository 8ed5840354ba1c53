public import Monitoring
import Transport

extension Stack {
    /// Reports the calls through the stack, and their attempts, to a monitor.
    ///
    /// A second monitor is added. Calls are observed outside all layers of the app, attempts next to the network.
    public func observing(by monitor: EventMonitor) -> Stack {
        adding(.observingAttempts) { base, _ in AnyTransport(base.observingAttempts(by: monitor)) }
            .adding(.observing) { base, _ in AnyTransport(base.observing(by: monitor)) }
    }
}
