// What the example of the documentation uses of SwiftUI, with Apple's signatures and no content: enough to check its types where there is no
// SwiftUI. See SwiftUIExampleTests.

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("a view without content") }
}

/// A view that has no others inside.
public protocol Leaf: View where Body == Never {}

extension Leaf {
    public var body: Never { fatalError("a view without content") }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> { TupleView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

public struct TupleView<Content>: Leaf { nonisolated init() {} }

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("a view without content") }
}

public struct Text: Leaf {
    public init<Content: StringProtocol>(_ content: Content) {}
}

public struct ProgressView: Leaf {
    public init() {}
}

public struct Form<Content: View>: Leaf {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct Button<Label: View>: Leaf {
    public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) where Label == Text {}
}

public struct NavigationLink<Label: View, Destination: View>: Leaf {
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder destination: () -> Destination) where Label == Text {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Leaf {}

public struct List<SelectionValue: Hashable, Content: View>: Leaf {
    public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    ) where SelectionValue == Never, Content == ForEach<Data, ID, Row> {}
}

extension View {
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    public func overlay<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
}

@propertyWrapper
public struct State<Value> {
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    private let value: Value

    public init(wrappedValue: Value) { value = wrappedValue }
}
