// What the Darwin branches of this package use of Network, as declared in Apple's documentation. Only types are checked
// with it.
public import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { fatalError() }
    public var isExpensive: Bool { fatalError() }
    public var isConstrained: Bool { fatalError() }
}

public final class NWPathMonitor {
    public init() {}
    public var currentPath: NWPath { fatalError() }
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
