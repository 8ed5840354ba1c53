/// A class with methods that are called by Objective-C selectors, on every platform.
///
/// ```swift
/// class Screen: SelectorTarget {
///     class var selectors: SelectorTable { [.method("requestDone:", Screen.requestDone)] }
///     func requestDone(_ request: SDMHttpRequest) {}
/// }
/// ```
/// On Apple's platforms, methods with `@objc` need no table.
public protocol SelectorTarget: AnyObject, SendableMetatype {
    /// The methods of the class, read once for each class; `nonisolated` if the class is isolated to an actor.
    ///
    /// A subclass that overrides it adds its own methods with ``SelectorTable/+(_:_:)``. It does not repeat methods
    /// that it only overrides.
    static var selectors: SelectorTable { get }
}
