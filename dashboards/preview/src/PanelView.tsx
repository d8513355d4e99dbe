import { css } from '@emotion/css';
import { renderMarkdown } from '@grafana/data';
import { Icon, PanelChrome } from '@grafana/ui';
import type { ComponentType } from 'react';
import { isEmpty } from './data';
import { BarGauge } from './panels/BarGauge';
import type { Props } from './panels/props';
import { Stat } from './panels/Stat';
import { StateTimeline } from './panels/StateTimeline';
import { Table } from './panels/Table';
import { Text } from './panels/Text';
import { TimeSeries } from './panels/TimeSeries';

const components: Record<string, ComponentType<Props>> = {
  bargauge: BarGauge,
  stat: Stat,
  'state-timeline': StateTimeline,
  table: Table,
  text: Text,
  timeseries: TimeSeries,
};

/** Whether the preview can draw panels of this type. */
export function isKnown(type: string): boolean {
  return type in components;
}

/** A panel in Grafana's frame. */
export function PanelView(props: Props) {
  const { data, variables, width, height } = props;
  const { panel, error } = data;
  const title = variables.inText(panel.title);
  const link = panel.links?.length ? <Icon name="external-link-alt" size="sm" className={css({ alignSelf: 'center', margin: '0 8px' })} /> : undefined;
  return (
    <PanelChrome
      width={width}
      height={height}
      title={title}
      description={panel.description && (() => renderMarkdown(panel.description))}
      titleItems={link}
      hoverHeader={!title}
      displayMode={panel.transparent ? 'transparent' : 'default'}
      padding={panel.type === 'table' ? 'none' : 'md'}
      statusMessage={error}
    >
      {(innerWidth, innerHeight) => <Body {...props} width={innerWidth} height={innerHeight} />}
    </PanelChrome>
  );
}

function Body(props: Props) {
  const { panel, frames, error } = props.data;
  const Component = components[panel.type];
  const saysSo = ['bargauge', 'stat', 'text'].includes(panel.type);
  return error || (isEmpty(frames) && !saysSo) ? <NoData {...props} /> : <Component {...props} />;
}

function NoData({ data, height }: Props) {
  const style = css({ height, display: 'flex', alignItems: 'center', justifyContent: 'center' });
  return <div className={style}>{data.error ?? data.fieldConfig.defaults.noValue ?? 'No data'}</div>;
}
