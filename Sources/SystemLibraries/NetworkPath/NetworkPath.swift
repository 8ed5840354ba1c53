/// What the system says about the network.
package struct NetworkPath: Hashable, Sendable {
    package var isSatisfied: Bool
    package var isExpensive = false
    package var isConstrained = false
}
