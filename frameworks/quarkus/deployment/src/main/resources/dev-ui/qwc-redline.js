import { LitElement, html, css } from 'lit';
import { JsonRpc } from 'jsonrpc';
import '@vaadin/grid';
import '@vaadin/button';
import { columnBodyRenderer } from '@vaadin/grid/lit.js';
import { notifier } from 'notifier';

/** The rules in force with a button that fills their buckets, and the state of the store. */
export class QwcRedline extends LitElement {
  jsonRpc = new JsonRpc(this);

  static styles = css`
    pre { padding: 0 1em; }
    vaadin-grid { height: 60vh; }
  `;

  static properties = {
    _rules: { state: true },
    _state: { state: true },
  };

  connectedCallback() {
    super.connectedCallback();
    this._refresh();
    this._timer = setInterval(() => this._refresh(), 2000);
  }

  disconnectedCallback() {
    clearInterval(this._timer);
    super.disconnectedCallback();
  }

  _refresh() {
    this.jsonRpc.rules().then((response) => { this._rules = response.result; });
    this.jsonRpc.state().then((response) => { this._state = response.result; });
  }

  _reset(rule) {
    this.jsonRpc.reset({ rule: rule }).then((response) => notifier.showInfoMessage(response.result));
  }

  render() {
    if (!this._rules || !this._state) {
      return html`<span>Loading…</span>`;
    }
    return html`
      <pre id="redline-state">${JSON.stringify(this._state, null, 2)}</pre>
      <vaadin-grid id="redline-rules" .items="${this._rules}" theme="no-border">
        <vaadin-grid-column path="ruleSet" header="Rule set" auto-width></vaadin-grid-column>
        <vaadin-grid-column path="rule" header="Rule" auto-width></vaadin-grid-column>
        <vaadin-grid-column path="limits" header="Limits" auto-width></vaadin-grid-column>
        <vaadin-grid-column header="" auto-width
          ${columnBodyRenderer((row) => row.rule.startsWith('plan ')
            ? html``
            : html`<vaadin-button @click="${() => this._reset(row.rule)}">Reset</vaadin-button>`, [])}>
        </vaadin-grid-column>
      </vaadin-grid>`;
  }
}
customElements.define('qwc-redline', QwcRedline);
