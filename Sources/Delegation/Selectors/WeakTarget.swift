/// A weak reference to an object of any class, for state behind a lock.
///
/// Unchecked, because the object may be of any class. The reference is only stored in any thread; the object is used
/// where callbacks are delivered.
package struct WeakTarget: @unchecked Sendable {
    /// The object; nil after its release.
    package private(set) weak var object: AnyObject?

    /// Creates a reference.
    package init(_ object: AnyObject?) { self.object = object }
}
